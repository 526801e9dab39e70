import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { AccessWorld, jsonOf } from "./access-world.testing.ts";

let world: AccessWorld;
beforeAll(async () => {
  world = await AccessWorld.start();
});
afterAll(() => world.stop());
beforeEach(() => world.reset());

const explain = async (who: string, capability: string, group: string, ...more: readonly string[]) =>
  jsonOf(await world.asAdmin("explain", who, capability, "--group", group, ...more, "-o", "json"));

it.each([
  ["a role binding in the group", "robot", "repo.create", "web", [], "yes"],
  ["a role binding above", "ci", "repo.create", "web", [], "yes"],
  ["a role binding below", "robot", "repo.create", "shop", [], "no"],
  ["another capability", "robot", "repo.delete", "web", [], "no"],
  ["a token for another group", "ci", "repo.create", "shop", ["--scope", "web"], "no"],
  ["a token for the group", "ci", "repo.create", "web", ["--scope", "web"], "yes"],
  ["a token for other capabilities", "ci", "repo.create", "web", ["--cap", "groups.list", "--cap", "repo.list"], "no"],
])("answers for %s", async (_, who, capability, group, more, answer) => {
  expect(await explain(who, capability, group, ...more)).toMatchObject({ answer, unknown: [] });
});

it("prints the chain with the objects that declare it", async () => {
  const { stdout } = await world.asAdmin("explain", "ci", "repo.create", "--group", "web", ...world.withCluster());
  const lines = stdout.split("\n").map((line) => line.trimEnd());
  expect(lines).toEqual([
    "Yes: root/shop/ci has repo.create in root/shop/web.",
    "",
    `Identity  root/shop/ci (${world.uids.ci})`,
    "          assumed by: issuer https://issuer.example.com, subject ci",
    "          last seen: never",
    "          declared by: undeclared",
    `Through   role binding ${world.uids.ciBinding}`,
    expect.stringMatching(/^ {10}created: 20\S+Z$/),
    "          declared by: shop/ci-edits (Argo CD shop-app, expires 2030-01-01T00:00:00Z)",
    "          role: editor (built in), which has repo.create",
    `          in the group above: root/shop (${world.uids.shop})`,
    "            declared by: undeclared",
    `Group     root/shop/web (${world.uids.web})`,
    "          declared by: shop/web (Flux flux-system/apps)",
    "",
  ]);
  expect(new Set(world.cluster.calls.map((call) => call.split(" ", 1)[0]))).toEqual(new Set(["GET"]));
});

it("prints which object declares a role that is not built in", async () => {
  const { stdout } = await world.asAdmin("explain", "robot", "repo.create", "--group", "web", ...world.withCluster());
  expect(stdout.split("\n").map((line) => line.trimEnd())).toEqual(
    expect.arrayContaining([
      `          role: creator (${world.uids.creator}), which has repo.create`,
      "            declared by: shop/creates",
    ]),
  );
});

it("says why a role binding does not grant it, and which role would", async () => {
  const { stdout } = await world.asAdmin("explain", "ci", "groups.create", "--group", "web");
  expect(stdout).toContain("No: root/shop/ci does not have groups.create in root/shop/web.");
  expect(stdout).toMatch(/Not through +role binding /);
  expect(stdout).toContain("role: editor (built in), which does not have groups.create");
  expect(stdout).toContain("Built-in roles that have groups.create: owner.");
});

it("says that a mistyped uid may not be an identity, and does not send an administrator for identity.list", async () => {
  const uid = `${world.platform.root}/00000000000000ff`;
  for (const question of [
    ["explain", uid, "groups.create", "--group", "web"],
    ["of", uid],
  ]) {
    const { stdout } = await world.asAdmin(...question);
    expect(stdout).toContain(`${uid} is not an identity that you can read: the answer holds if it is one.`);
    expect(stdout).toContain("assumed by: unknown: it does not exist, or you need identity.list");
  }
});

it("says to what the token is limited", async () => {
  const { stdout } = await world.asAdmin(
    "explain",
    "ci",
    "repo.create",
    "--group",
    "web",
    "--cap",
    "repo.list",
    "--scope",
    "shop",
  );
  expect(stdout).toContain(
    "No: root/shop/ci, with a token that is limited to repo.list in root/shop, does not have repo.create in root/shop/web.",
  );
  expect(stdout).toContain("role: editor (built in), which has, unlike the token, repo.create");
  expect(stdout).not.toContain("Built-in roles that have");
});

it("answers unknown if a role or a group above cannot be read", async () => {
  const { stdout } = await world.asReader("explain", "robot", "repo.create", "--group", "web");
  expect(stdout).toContain("Unknown: whether …/shop/web/robot has repo.create in …/shop/web depends on what you");
  expect(stdout).toMatch(/Perhaps +role binding /);
  expect(stdout).not.toContain("No:");
  const granted = await world.asReader("explain", "ci", "repo.create", "--group", "web");
  expect(granted.stdout).toContain("Yes: …/shop/ci has repo.create in …/shop/web.");
});

it("says no for an identity whose static keys have expired, whatever it is granted", async () => {
  const late = await world.platform.admin.ok("POST", `/iam/v2beta1/identities/${world.uids.web}`, {
    name: "late",
    staticKeys: {
      issuer: "https://issuer.example.com",
      subject: "late",
      issuerKeys:
        '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"1","alg":"EdDSA"}]}',
      expirationTime: new Date(Date.now() + 400).toISOString(),
    },
  });
  await world.platform.admin.bind(world.uids.web, late.uid, await world.platform.admin.role("viewer"));
  await world.platform.admin.bind(world.uids.web, late.uid, await world.platform.admin.role("registry.push"));
  await expect.poll(() => explain("late", "repo.list", "web")).toMatchObject({ answer: "no", through: [{}, {}] });
  const { stdout } = await world.asAdmin("who-can", "tag.create", "--group", "web");
  expect(stdout).toContain("No identity has tag.create in root/shop/web.\n");
  expect(stdout).toMatch(/^root\/shop\/web\/late \(keys expired\) /m);
  expect(stdout).toContain("Not counted: 1 identity whose static keys have expired, so nobody can use it.\n");
  await world.platform.admin.ok("DELETE", `/iam/v2beta1/identities/${late.uid}`);
});
