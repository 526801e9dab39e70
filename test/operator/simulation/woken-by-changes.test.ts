import { describe, expect, it } from "vitest";
import { missedSteps } from "./invariants.ts";
import type { Manifest } from "./memory-kube.ts";
import { viewer } from "./memory-platform.ts";
import { blueIdentity, issuer, otherBlueIdentity, red, TwoTenants } from "./two-tenants.ts";

// What an object waits for changes, and it continues without a resync. See src/reconcile/wake/README.md.

const adopts = { adoption: "IfExists", deletion: "Delete", drift: "Correct" };
const [list, excess] = ["CAP_IAM_GROUPS_LIST", "CAP_REPO_DELETE"];
const person = `${red}/00000000000000d3`;
const roleUid = `${red}/00000000000000d1`;
const lister: Manifest = {
  kind: "Role",
  name: "lister",
  spec: { groupUid: red, capabilities: [list], policy: adopts },
};
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupUid: red, claimMatch: { issuer, subject: "ci" }, policy: adopts },
};
const bound: Manifest = {
  kind: "RoleBinding",
  name: "bound",
  spec: { groupUid: red, identityUid: person, roleRef: { name: "viewer" }, policy: { deletion: "Delete" } },
};

/** A world with an identity and a role in the red group, which people made and bound. */
function world(): TwoTenants {
  const made = new TwoTenants();
  const { platform } = made.scenario;
  const capabilities = [list];
  platform.setInitial("identities", { uid: person, name: "ci", description: "", claimMatch: {} });
  platform.setInitial("roles", { uid: roleUid, name: "lister", description: "", capabilities });
  return made;
}

function bind({ scenario }: TwoTenants, role: string): void {
  const uid = `${red}/00000000000000e0`;
  scenario.platform.setInitial("roleBindings", {
    uid,
    identity: { uid: person, name: "ci" },
    role: { uid: role, name: "" },
  });
}

/** Long enough for everything that is woken, and not for what waits for the next check or resync. */
const soonMs = 30_000;

async function soon(one: TwoTenants, manifest: Manifest, reason: string): Promise<void> {
  await one.scenario.pass(soonMs);
  expect(one.reasonOf(manifest)).toBe(reason);
  expect(missedSteps(one.scenario.process.sources)).toEqual([]);
}

describe("an identity that another Tenant lists for emergencies", () => {
  it.each([
    ["a Role that it has is adopted", roleUid, lister, "TenantDenied"],
    ["a role binding of it is adopted", viewer, bound, "Conflict"],
    ["it is adopted", viewer, ci, "Conflict"],
  ])("no longer: %s", async (_, role, manifest, reason) => {
    const one = world();
    bind(one, role);
    one.tenant("blue", { breakGlass: [person] });
    await one.apply([manifest]);
    await one.until(reason, [manifest]);
    one.tenant("blue", {});
    await soon(one, manifest, "Available");
  });
});

describe("an identity that another Tenant uses as its credential", () => {
  it("no longer may get a role", async () => {
    const one = world();
    one.tenant("blue", { identityUid: person });
    await one.apply([bound]);
    await one.until("TenantDenied", [bound]);
    one.tenant("blue", { identityUid: otherBlueIdentity });
    await soon(one, bound, "Available");
  });

  it("from now on: a role binding of it is denied", async () => {
    const one = world();
    await one.apply([bound]);
    await one.until("Available", [bound]);
    one.tenant("blue", { identityUid: person });
    await soon(one, bound, "TenantDenied");
    one.tenant("blue", { identityUid: blueIdentity });
    await soon(one, bound, "Available");
  });
});

describe("a role that the Tenant lists, and that people change", () => {
  const listed = `${red}/00000000000000d2`;
  const wide: Manifest = { ...lister, name: "wide", spec: { ...lister.spec, capabilities: [excess] } };
  const bindsWide: Manifest = {
    ...bound,
    name: "binds-wide",
    spec: { ...bound.spec, roleRef: { kind: "Role", name: "wide" } },
  };

  it("denies the roles that are not permitted any longer, and their bindings, at the next resync", async () => {
    const one = world();
    const { platform } = one.scenario;
    const set = (capabilities: readonly string[]) =>
      platform.set("roles", { uid: listed, name: "listed", description: "", capabilities });
    set([excess]);
    one.tenant("red", { roles: ["viewer", listed] });
    await one.apply([wide, bindsWide]);
    await one.until("Available", [wide, bindsWide]);
    set([list]);
    await one.scenario.resync();
    await soon(one, wide, "TenantDenied");
    expect(one.reasonOf(bindsWide)).toBe("TenantDenied");
    set([excess]);
    await one.scenario.resync();
    await soon(one, wide, "Available");
    expect(one.reasonOf(bindsWide)).toBe("Available");
  });
});
