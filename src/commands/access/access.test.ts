import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { runCommand } from "#src/command-line.testing.ts";
import { connectReader } from "#src/commands/reader/connect-reader.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { AccessWorld } from "./access-world.testing.ts";

let world: AccessWorld;
beforeAll(async () => {
  world = await AccessWorld.start();
});
afterAll(() => world.stop());
beforeEach(() => world.reset());

const explained = ["explain", "ci", "repo.create", "--group", "web"];
it.each([
  ["a capability that no role has", ["who-can", "repo.crate", "--group", "web"], 'did you mean "repo.create"?'],
  ["a word that is near none, with those that exist", ["who-can", "push", "--group", "web"], "; the capabilities are "],
  ["a role in the place of a capability", ["who-can", "registry.push", "--group", "web"], "it is a role: give one of "],
  ["a group that does not exist", ["who-can", "repo.create", "--group", "wob"], 'did you mean "web"?\n'],
  ["a scope that does not exist", [...explained, "--scope", "wob"], '--scope: there is no group "wob"'],
  [
    "a capability of the token that no role has",
    [...explained, "--cap", "x"],
    '--cap: no role of the platform has "x"',
  ],
  ["an identity that does not exist", ["of", "robto"], 'did you mean "robot"?'],
])("reports %s", async (_, args, message) => {
  expect(await world.asAdmin(...args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
});

it("says what a platform has, and what to narrow, before it reads more than --max-objects", async () => {
  const { code, stderr, stdout } = await world.asAdmin(...explained, "--max-objects", "1");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    /the platform has \d+ objects \(.* roleBindings.*, and --max-objects is 1, so nothing was read/,
  );
  expect(stderr).toContain("use a token that is limited to some groups");
});

it.each([
  ["who-can", ["who-can", "repo.create"]],
  ["explain", ["explain", "ci", "repo.create"]],
])("says of a uid that it is not a group that the caller can read: %s", async (_, args) => {
  const mistyped = `${world.uids.shop}/${"0".repeat(16)}`;
  const note = "is not a group that you can read";
  expect((await world.asAdmin(...args, "--group", mistyped)).stdout).toContain(
    `${mistyped} ${note}: the answer holds if`,
  );
  expect((await world.asAdmin(...args, "--group", "shop")).stdout).not.toContain(note);
});

it("lists the candidates if a name is not unique", async () => {
  const other = await world.platform.admin.group(world.platform.root, "other");
  const web = await world.platform.admin.group(other, "web");
  const { code, stderr } = await world.asAdmin("who-can", "repo.create", "--group", "web");
  expect(code).toBe(1);
  expect(stderr).toContain('--group: 2 are called "web"; give the path, or the uid, of one of them:');
  for (const [path, uid] of [
    ["root/shop/web", world.uids.web],
    ["root/other/web", web],
  ])
    expect(stderr).toContain(`${path}  ${uid}`);
  await world.platform.admin.ok("DELETE", `/iam/v2beta1/groups/${web}`);
});

it.each([
  ["who-can", ["who-can", "repo.create", "--group", "shop"]],
  ["of", ["of", "ci"]],
  ["report", ["report", "--group", "shop"]],
  ["explain", ["explain", "ci", "repo.create", "--group", "shop"]],
])("only reads, and makes one call for each page: %s", async (_, args) => {
  expect(await world.asAdmin(...args)).toMatchObject({ code: 0 });
  expect(world.gateway.calls.map((call) => call.split("?")[0] ?? "").toSorted()).toEqual([
    "GET /iam/v2beta1/groupInvites",
    "GET /iam/v2beta1/groups",
    "GET /iam/v2beta1/identities",
    "GET /iam/v2beta1/identityProviders",
    "GET /iam/v2beta1/roleBindings",
    "GET /iam/v2beta1/roles",
  ]);
  expect(world.gateway.calls.every((call) => call.includes("page_size=200"))).toBe(true);
});

it("has only reads of the API", async () => {
  const values = { platformUrl: new URL(world.gateway.url), tokenFile: world.file("token", "t"), timeout: 1_000 };
  const { signal } = new AbortController();
  const context = { env: {}, signal, stderr: new PassThrough() };
  const reader = await connectReader({ platformCa: undefined, ...values }, context);
  expect(Object.keys(reader.api)).toEqual(["list", "get"]);
  await reader.close();
});

it.each([
  [
    "refuses",
    { code: 403, reason: "Forbidden", message: "groups is forbidden" },
    /the cluster was not read \(.*forbidden/,
  ],
  [
    "is not one with Muster",
    { code: 404, reason: "NotFound", message: "the server could not find it" },
    /the cluster has none of Muster's CRDs: check --context/,
  ],
])("reports that declarations are unknown if the cluster %s", async (_, failure, expected) => {
  world.cluster.failure = failure;
  const asked = ["explain", "ci", "repo.create", "--group", "web", ...world.withCluster()];
  const { code, stdout } = await world.asAdmin(...asked);
  expect(code).toBe(0);
  expect(stdout).toMatch(expected);
  expect(stdout).not.toMatch(/declared by:|undeclared/);
});

it("fails if the kubeconfig that it is given does not exist", async () => {
  const run = await world.asAdmin("of", "ci", "--kubeconfig", join(world.folder, "missing"));
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("--kubeconfig: cannot read") });
});

it("exits with 26 if the platform does not accept the token, and prints no part of it", async () => {
  const { code, stderr } = await world.run("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.secret", "of", "ci");
  expect(code).toBe(26);
  expect(stderr).toContain("UNAUTHENTICATED");
  expect(stderr).not.toContain("secret");
});

it("uses the person's login, and exits with 26 without one", async () => {
  const home = join(world.folder, "home");
  const args = ["access", "of", "ci", "--no-cluster"];
  expect(await runCommand(args, { env: { HOME: home } })).toMatchObject({ code: 26 });
  const login = {
    authUrl: world.gateway.url,
    through: { group: world.platform.root },
    audiences: [],
    tokens: {
      accessToken: await world.readerToken(),
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
    },
  };
  mkdirSync(join(home, ".config/muster"), { recursive: true, mode: 0o700 });
  const stored = { version: 1, current: world.gateway.url, logins: { [world.gateway.url]: login } };
  writeFileSync(join(home, ".config/muster/credentials.json"), JSON.stringify(stored), { mode: 0o600 });
  const run = await runCommand(args, { env: { HOME: home } });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("…/shop/ci has 1 role binding") });
});

it("needs the platform's address with a token file", async () => {
  const run = await runCommand(["access", "of", "ci", "--token-file", world.file("token", "x")], { env: {} });
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("--platform-url") });
});
