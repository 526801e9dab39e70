import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import { hours } from "#src/time/durations.ts";
import { Gateway } from "./gateway.testing.ts";

let platform: RunningPlatform;
let gateway: Gateway;
let folder = "";
let [shop, web, creator, creatorBinding, auditor] = ["", "", "", "", ""];
/** Of an owner of web, and of a viewer of it. */
const tokens: Record<string, string> = {};

function unused(token: string | undefined, ...args: readonly string[]): Promise<CommandRun> {
  const file = join(folder, "token");
  writeFileSync(file, token ?? "");
  const platformArgs = ["--platform-url", gateway.url, "--token-file", file, "--no-cluster"];
  return runCommand(["access", "unused", ...args, ...platformArgs], { env: {} });
}
const asAdmin = (...args: readonly string[]) => unused(platform.admin.token, ...args);
const json = (run: CommandRun) => JSON.parse(run.stdout) as Record<string, unknown>;

async function tokenOf(identity: string, name: string): Promise<string> {
  const response = await platform.exchange(await platform.subjectToken(identity, {}, name), identity);
  return response.body.token;
}

/** A platform on which an editor has created a repo, after everything else was 40 days old. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-unused-"));
  // The platform and the command are in this process: only what they read as the time of day moves.
  vi.useFakeTimers({ toFake: ["Date"] });
  platform = await RunningPlatform.start();
  gateway = await Gateway.to(platform.url);
  const { admin, root } = platform;
  shop = await admin.group(root, "shop");
  web = await admin.group(shop, "web");
  const custom = { name: "creator", capabilities: ["CAP_REPO_CREATE"] };
  creator = (await admin.ok("POST", `/iam/v2beta1/roles/${root}`, custom)).uid;
  const grant = async (group: string, name: string, role: string) => {
    const identity = await platform.makeIdentity(group, name);
    return { identity, binding: await admin.bind(group, identity, role) };
  };
  await grant(shop, "ci", await admin.role("editor"));
  creatorBinding = (await grant(web, "robot", creator)).binding;
  const pusher = await grant(shop, "pusher", await admin.role("editor"));
  const viewer = await grant(web, "viewer", await admin.role("viewer"));
  ({ identity: auditor } = await grant(web, "auditor", await admin.role("owner")));
  const chief = await grant(web, "chief", await admin.role("owner"));
  await admin.bind(root, chief.identity, await admin.role("viewer"));
  const old = await asAdmin("--days", "30");
  expect(old).toMatchObject({ code: 1, stdout: "" });
  expect(old.stderr).toMatch(/--days: the oldest audit record that you can read is of 20\S+Z, .*: ask again tomorrow/);

  vi.setSystemTime(Date.now() + 40 * hours(24));
  tokens["auditor"] = await tokenOf(auditor, "auditor");
  tokens["chief"] = await tokenOf(chief.identity, "chief");
  tokens["viewer"] = await tokenOf(viewer.identity, "viewer");
  const caller = platform.as(await tokenOf(pusher.identity, "pusher"));
  await caller.ok("POST", `/registry/v2beta1/repos/${web}`, { name: "app" });
}, 60_000);
afterAll(async () => {
  vi.useRealTimers();
  await gateway.close();
  await platform.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  gateway.calls.length = 0;
});

it("is an error if records are kept for less, and says what to ask instead", async () => {
  const run = await asAdmin("--days", "41");
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toMatch(
    /the oldest audit record .* is of 20\S+Z, so older ones are not kept, .*: give --days 40 at/,
  );
  expect(await asAdmin("--days", "40")).toMatchObject({ code: 0, stderr: "" });
});

it("is an error without audit.list", async () => {
  const run = await unused(tokens["viewer"], "--days", "1");
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toContain("you can read no audit record: you need audit.list, which the role owner has");
});

it("prints unused writes, and the smallest role that keeps what is needed", async () => {
  const { stderr, stdout } = await asAdmin("--days", "30", "--group", "shop");
  expect(stderr).toBe("");
  const [heading, , titles, ...rows] = stdout.split("\n");
  expect(heading).toBe("5 role bindings have write capabilities that nobody used in 30 days.");
  expect(titles).toMatch(/^IDENTITY +GROUP +ROLE +UNUSED WRITES +USED WRITES +SMALLEST ROLE +DECLARED BY$/);
  const patterns = [
    /^root\/shop\/ci +root\/shop +editor +repo.create, repo.delete, repo.update +none +viewer +unknown$/,
    /^root\/shop\/pusher +root\/shop +editor +repo.delete, repo.update +repo.create +no built-in role is smaller +unknown$/,
    /^root\/shop\/web\/auditor +root\/shop\/web +owner .* and \d+ more +none +viewer, but without audit.list +unknown$/,
    /^root\/shop\/web\/chief +root\/shop\/web +owner +.* viewer, but without audit.list +unknown$/,
    /^root\/shop\/web\/robot +root\/shop\/web +creator +repo.create +none +none is needed +unknown$/,
  ];
  expect(rows.slice(0, 6)).toEqual([...patterns.map((pattern) => expect.stringMatching(pattern)), ""]);
});

it("says nothing about what is younger", async () => {
  const { admin } = platform;
  const young = await admin.bind(web, auditor, await admin.role("editor"));
  const all = json(await asAdmin("--days", "30", "-o", "json"));
  expect(all).toMatchObject({ complete: true, unknown: [], days: 30, recent: [{ roleBinding: { uid: young } }] });
  const { stdout } = await asAdmin("--days", "30", "--group", "web");
  expect(stdout).toContain("Not judged: 1 role binding that is younger than 30 days.");
  await admin.ok("DELETE", `/iam/v2beta1/roleBindings/${young}`);
});

it("says that it is unknown where the caller cannot read role bindings or records", async () => {
  const own = json(await unused(tokens["auditor"], "--days", "30", "-o", "json"));
  expect(own).toMatchObject({ complete: false, readBelow: [{ uid: web }] });
  const groups = (own["roleBindings"] as { group: { uid: string } }[]).map(({ group }) => group.uid);
  expect(new Set(groups)).toEqual(new Set([web]));
  const { stdout } = await unused(tokens["auditor"], "--days", "30");
  expect(stdout).toContain("At least 2 role bindings have write capabilities that nobody used in 30 days.");
  expect(stdout).toContain("Unknown: role bindings in other groups than");
});

it("judges role bindings only where the caller can read the audit log", async () => {
  const answer = json(await unused(tokens["chief"], "--days", "30", "-o", "json"));
  const message = `the audit records of root/shop (${shop}) cannot be read: you need audit.list there`;
  expect(answer).toMatchObject({
    complete: false,
    unknown: [{ message }],
  });
  const groups = (answer["roleBindings"] as { group: { uid: string } }[]).map(({ group }) => group.uid);
  expect(new Set(groups)).toEqual(new Set([web]));
});

it("only reads, in pages", async () => {
  await asAdmin("--days", "30");
  expect(gateway.calls.filter((call) => call.startsWith("GET /audit/v1beta1/records?"))).toHaveLength(2);
  expect(gateway.calls.every((call) => call.startsWith("GET ") && call.includes("page_size=200"))).toBe(true);
  expect(gateway.calls).toHaveLength(8);
});

it("says if a role binding grants nothing that was used", async () => {
  expect(json(await asAdmin("--days", "30", "-o", "json"))["roleBindings"]).toContainEqual(
    expect.objectContaining({ needless: true, roleBinding: expect.objectContaining({ uid: creatorBinding }) }),
  );
});

it("says that it is unknown what a change may have used of which the caller cannot read the record", async () => {
  const { admin, root } = platform;
  const guest = await platform.makeIdentity(root, "guest");
  const binding = await admin.bind(web, guest, await admin.role("editor"));
  const answer = json(await unused(tokens["auditor"], "--days", "30", "-o", "json"));
  expect(answer["unknown"]).toContainEqual(
    expect.objectContaining({ what: "auditRecords", uid: root, message: expect.stringContaining("audit.list there") }),
  );
  const bindings = answer["roleBindings"] as { unused: string[]; perhapsUsed: string[] }[];
  const repoWrites = ["repo.create", "repo.delete", "repo.update"];
  expect(bindings.map(({ perhapsUsed }) => perhapsUsed)).toEqual([repoWrites, repoWrites]);
  expect(bindings.flatMap(({ unused: names }) => names)).not.toContain("repo.create");
  await admin.ok("DELETE", `/iam/v2beta1/roleBindings/${binding}`);
});

it("does not judge a role that was changed within the period, and says so", async () => {
  await platform.admin.ok("PATCH", `/iam/v2beta1/roles/${creator}`, {
    capabilities: ["CAP_REPO_CREATE", "CAP_REPO_DELETE"],
  });
  const { stdout } = await asAdmin("--days", "30", "--group", "web");
  expect(stdout).not.toMatch(/^root\/shop\/web\/robot /m);
  expect(stdout).toContain("a role binding or its role: creator of root/shop/web/robot in root/shop/web.");
  expect(json(await asAdmin("--days", "30", "-o", "json"))).toMatchObject({
    changed: [{ roleBinding: { uid: creatorBinding } }],
  });
});

it("counts a change of who can assume an identity in another group, which may have needed the role binding", async () => {
  const { admin, root } = platform;
  const elsewhere = await admin.group(root, "elsewhere");
  const robot = await platform.makeIdentity(elsewhere, "changed");
  const keeper = await platform.makeIdentity(root, "keeper");
  await admin.bind(elsewhere, keeper, await admin.role("owner"));
  const binding = await admin.bind(shop, keeper, await admin.role("editor"));
  vi.setSystemTime(Date.now() + 40 * hours(24));
  const judged = async () => {
    const run = await asAdmin("--days", "30", "--group", "shop", "-o", "json");
    const found = json(run)["roleBindings"] as { roleBinding: { uid: string } }[];
    return found.some(({ roleBinding }) => roleBinding.uid === binding);
  };
  expect(await judged()).toBe(true);
  const caller = platform.as(await tokenOf(keeper, "keeper"));
  await caller.ok("PATCH", `/iam/v2beta1/identities/${robot}?updateMask=claimMatch`, {
    claimMatch: { issuer: "https://ci.example.com", subject: "changed" },
  });
  expect(await judged()).toBe(false);
  await admin.ok("DELETE", `/iam/v2beta1/roleBindings/${binding}`);
});
