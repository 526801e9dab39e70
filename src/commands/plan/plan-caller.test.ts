import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { group, PlanWorld, tenant, tree } from "./plan-world.testing.ts";

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.start();
});
afterAll(() => world.stop());

it("sees enough as a viewer of the root group", async () => {
  const viewer = await world.platform.callerWith("viewer", world.platform.root);
  expect(await world.plan(tenant(world.team) + tree, { token: viewer.token })).toEqual(
    await world.plan(tenant(world.team) + tree),
  );
});

it("knows nothing with a token that is narrower than the roles of its identity", async () => {
  const narrow = await world.platform.callerWith("viewer", world.platform.root, `&scope=${world.platform.root}`);
  const { code, stdout, stderr } = await world.plan(tenant(world.team) + group, { token: narrow.token });
  expect(stderr).toContain("muster: warning: the token is limited to some groups or capabilities");
  expect(code).toBe(3);
  expect(stdout).not.toContain("+ create");
});

it("sees everything with the token of an administrator", async () => {
  const { code, stdout, stderr } = await world.plan(tenant(world.team) + group, { token: world.platform.admin.token });
  expect(code).toBe(2);
  expect(stdout).toContain("+ create");
  expect(stderr).not.toContain("warning");
});

it("knows nothing with a token that does not say whose it is", async () => {
  const { stderr } = await world.plan(tenant(world.team) + group, { token: "of-another-form" });
  expect(stderr).toContain("muster: warning: the token does not say whose it is");
});

it("never takes for absent what the caller may not list", async () => {
  const { code, stdout } = await world.plan(tenant(world.team) + group, { token: world.stranger.token });
  expect(code).toBe(3);
  expect(stdout).not.toContain("nothing to do");
  expect(stdout).toContain("shop/Group/shop");
});

it("tells the caller what the caller lacks, and not to change the roles of the operator", async () => {
  const { stdout } = await world.plan(tenant(world.team) + group, { token: world.stranger.token });
  expect(stdout).toContain(
    `! shop/Group/shop\n    Ready=Unknown NotSeen\n    you do not have CAP_IAM_ROLE_BINDINGS_LIST in ${world.platform.root}, so the plan cannot see what is there. Ask for a role with this capability, such as viewer, in that group or above.\n`,
  );
});

it("does not say that the operator has no role, where the caller may not see its role bindings", async () => {
  const { admin, root } = world.platform;
  const viewer = await world.platform.callerWith("viewer", world.team);
  const inTeam = { token: viewer.token, rootGroup: world.team };
  const { code, stdout } = await world.plan(tenant(world.team) + group, inTeam);
  expect(code).toBe(3);
  expect(stdout).toContain("! shop/Group/shop\n    Ready=Unknown NotSeen\n");
  expect(stdout).toContain(`? You do not have role_bindings.list in ${root}:`);
  const powerless = await admin.identity(root, "powerless");
  await admin.ok("PATCH", `/iam/v2beta1/identities/${powerless}?updateMask=description`, {
    description: withRecordedOwner("", "prod"),
  });
  const seen = await world.plan(tenant(world.team) + group, { identity: powerless });
  expect(seen.stdout).toContain("Ready=False PermissionDenied\n    The identity that the operator uses here lacks");
  await admin.ok("DELETE", `/iam/v2beta1/identities/${powerless}`);
});

it("exits with 1 without a login", async () => {
  const home = mkdtempSync(join(world.files, "home-"));
  const owner = ["--owner-id", "prod", "--service-account-issuer", "https://kubernetes.example.com"];
  const args = [
    "plan",
    "-f",
    "-",
    "--offline",
    ...owner,
    "--identity",
    world.identity,
    "--root-group",
    world.platform.root,
  ];
  const { code, stderr } = await runCommand([...args, "--allowed-role", "viewer"], {
    input: tenant(world.team),
    env: { HOME: home, XDG_CONFIG_HOME: home },
  });
  expect(stderr).toContain("not logged in");
  expect(code).toBe(1);
});

it("exits with 1 and says what to do if the platform cannot be read", async () => {
  const away = await world.plan(tenant(world.team) + tree, { url: "http://127.0.0.1:1" });
  expect(away.code).toBe(1);
  expect(away.stderr).toMatch(/ECONNREFUSED.*Check that the platform responds: muster doctor\./);
  const expired = await world.plan(tenant(world.team) + tree, { token: "expired" });
  expect(expired.code).toBe(1);
  expect(expired.stderr).toContain("Log in again: muster login. Or replace the file of --token-file.");
});

it("plans for a viewer of the Tenant's groups, who assumes that the operator is as it should be", async () => {
  const viewer = await world.platform.callerWith("viewer", world.team);
  const change = { token: viewer.token, rootGroup: world.team };
  expect((await world.plan(tenant(world.team) + tree, change)).code).toBe(3);
  const { code, stdout } = await world.plan(tenant(world.team) + tree, { ...change, args: ["--assume-operator"] });
  expect(code).toBe(2);
  expect(stdout).toContain("Plan: 3 to create.");
  expect(stdout).toContain("+ …/team/shop/ci gains capabilities in …/team/shop and below");
});
