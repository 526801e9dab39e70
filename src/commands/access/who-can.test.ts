import { afterAll, beforeAll, expect, it } from "vitest";
import { AccessWorld, jsonOf } from "./access-world.testing.ts";

let world: AccessWorld;
beforeAll(async () => {
  world = await AccessWorld.start();
});
afterAll(() => world.stop());

it("prints each identity with what grants the capability, and who can assume it", async () => {
  const { code, stdout } = await world.asAdmin("who-can", "repo.create", "--group", "shop/web");
  expect(code).toBe(0);
  const [heading, , titles, ci, robot, , note] = stdout.split("\n");
  expect(heading).toBe("2 identities have repo.create in root/shop/web.");
  expect(titles).toMatch(/^IDENTITY +ASSUMED BY +ROLE +GROUP +BOUND SINCE +LAST SEEN +DECLARED BY$/);
  expect(ci).toMatch(
    /^root\/shop\/ci +issuer https:\/\/issuer.example.com, subject ci +editor +root\/shop +20\S+Z +never +unknown$/,
  );
  expect(robot).toMatch(/^root\/shop\/web\/robot +.* creator +root\/shop\/web /);
  expect(note).toBe("By which objects these are declared is unknown: the cluster was not read (--no-cluster is set).");
});

it("says what is unknown to a caller that cannot read everything, and never that nobody can", async () => {
  const run = await world.asReader("who-can", "CAP_REPO_CREATE", "--group", "web");
  expect(run.stdout).toContain("At least 1 identity has repo.create in …/shop/web.");
  expect(run.stdout).toContain("…/shop/web/robot (possibly)");
  expect(run.stdout).toContain(
    `Unknown: the role bindings of ${world.platform.root} cannot be read: you need role_bindings.list there.`,
  );
  expect(run.stdout).toContain(
    `Unknown: the capabilities of the role creator cannot be read: you need roles.list in ${world.platform.root}.`,
  );
  const none = jsonOf(await world.asReader("who-can", "tag.delete", "--group", "web", "-o", "json"));
  expect(none).toMatchObject({ complete: false, identities: [], possible: [{ identity: { uid: world.uids.robot } }] });
  const text = await world.asReader("who-can", "tag.delete", "--group", "web");
  expect(text.stdout).toContain("It is unknown which identities have tag.delete in …/shop/web.");
  const sure = await world.asAdmin("who-can", "account_associations.create", "--group", "web");
  expect(sure.stdout).toContain("No identity has account_associations.create in root/shop/web.");
});

it("accepts the uid of a group, or of a resource in one, that the caller cannot read", async () => {
  const uid = `${world.uids.web}/00000000000000ff`;
  const answer = jsonOf(await world.asAdmin("who-can", "REPO_CREATE", "--group", uid, "-o", "json"));
  expect(answer).toMatchObject({ capability: "repo.create", group: { uid }, complete: true });
  expect(answer["identities"]).toHaveLength(2);
});

it("prints Markdown in which names have no meaning", async () => {
  const { stdout } = await world.asAdmin("who-can", "repo.create", "--group", "web", "-o", "markdown");
  expect(stdout).toContain("**2 identities have repo.create in root/shop/web.**\n\n| IDENTITY | ASSUMED BY |");
  expect(stdout).toContain("| root/shop/ci | issuer https\\://issuer.example.com, subject ci | editor |");
});

it("fits its table into a terminal, and leaves it whole with -o wide", async () => {
  const ask = (...args: string[]) => world.asAdmin("who-can", "repo.create", "--group", "shop/web", ...args);
  const { stdout: whole } = await ask();
  world.terminal = { tableColumns: 100 };
  const tableOf = (text: string) => text.split("\n").slice(2, -3);
  expect(Math.max(...tableOf((await ask()).stdout).map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect((await ask("-o", "wide")).stdout).toBe(whole);
  world.terminal = {};
});
