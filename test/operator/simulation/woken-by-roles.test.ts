import { describe, expect, it } from "vitest";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import type { Manifest } from "./memory-kube.ts";
import { blue, issuer, red, TwoTenants } from "./two-tenants.ts";

const adopts = { adoption: "IfExists", deletion: "Delete", drift: "Correct" };
/** Capabilities of the role `viewer`, which both Tenants may bind, and one that it lacks. */
const [list, more] = ["CAP_IAM_GROUPS_LIST", "CAP_IAM_IDENTITY_LIST"];
const excess = "CAP_REPO_DELETE";

const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupUid: red, claimMatch: { issuer, subject: "ci" }, policy: adopts },
};
const lister: Manifest = {
  kind: "Role",
  name: "lister",
  spec: { groupUid: red, capabilities: [list], policy: adopts },
};
const reader: Manifest = {
  kind: "Role",
  name: "reader",
  spec: { groupUid: red, capabilities: [list, more], policy: adopts },
};
const roleUids = { lister: `${red}/00000000000000d1`, reader: `${red}/00000000000000d2` };
const identity = `${red}/00000000000000d3`;

/** A world in which people made an identity with these roles, and nothing is listed again while the objects are reconciled. */
function worldWith(roles: Partial<Record<keyof typeof roleUids, readonly string[]>>): TwoTenants {
  const world = new TwoTenants();
  const { platform } = world.scenario;
  platform.setInitial("identities", { uid: identity, name: "ci", description: "", claimMatch: {} });
  for (const [index, name] of (["lister", "reader"] as const).entries()) {
    const capabilities = roles[name];
    if (capabilities === undefined) continue;
    const uid = roleUids[name];
    platform.setInitial("roles", { uid, name, description: "", capabilities });
    const bound = {
      uid: `${red}/00000000000000e${index}`,
      identity: { uid: identity, name: "ci" },
      role: { uid, name },
    };
    platform.setInitial("roleBindings", bound);
  }
  return world;
}

/** Long enough for everything that is woken, and not for what waits for the next check or resync. */
const soonMs = 60_000;

async function readySoon(world: TwoTenants, manifests: readonly Manifest[]): Promise<void> {
  await world.scenario.pass(soonMs);
  expect(manifests.map((one) => `${one.kind} ${one.name}: ${world.reasonOf(one)}`)).toEqual(
    manifests.map(({ kind, name }) => `${kind} ${name}: Available`),
  );
}

describe("an Identity that is adopted together with the roles that it holds", () => {
  it.each([
    ["after it", [ci, lister, reader]],
    ["before it", [lister, reader, ci]],
    ["some before it, some after it", [lister, ci, reader]],
  ])("is adopted once all of them are: %s", async (_, manifests) => {
    const world = worldWith({ lister: [list], reader: [list, more] });
    await world.apply(manifests, 1_000);
    await readySoon(world, manifests);
  });

  it("is adopted once the operator has taken from its role what the Tenant does not permit", async () => {
    const world = worldWith({ lister: [list, excess] });
    await world.apply([ci]);
    await world.until("TenantDenied", [ci]);
    await world.apply([lister]);
    await readySoon(world, [ci, lister]);
  });

  it("is adopted once an object has found its role again by its marker, which nothing has to be written for", async () => {
    const world = worldWith({});
    const { platform } = world.scenario;
    const description = withMarker("", markerOf(ownerHash("cluster"), objectHash("Role", "team", "lister")));
    const role = { uid: roleUids.lister, name: "lister", description, capabilities: [list] };
    platform.setInitial("roles", role);
    platform.setInitial("roleBindings", {
      uid: `${red}/00000000000000e0`,
      identity: { uid: identity, name: "ci" },
      role,
    });
    await world.apply([ci]);
    await world.until("TenantDenied", [ci]);
    await world.apply([lister]);
    await readySoon(world, [lister, ci]);
    expect(platform.applied.map(({ collection }) => collection)).toEqual(["identities"]);
  });

  it("is adopted once people have taken from its role what the Tenant does not permit", async () => {
    const world = worldWith({ lister: [list, excess] });
    const reported: Manifest = { ...lister, spec: { ...lister.spec, policy: { ...adopts, drift: "Report" } } };
    await world.apply([reported, ci]);
    await world.until("TenantDenied", [ci]);
    const { platform } = world.scenario;
    platform.set("roles", { uid: roleUids.lister, name: "lister", description: "", capabilities: [list] });
    await world.scenario.resync();
    await readySoon(world, [ci]);
  });

  it("is adopted after its role was read again, and what others added to it since was taken away", async () => {
    const world = worldWith({ lister: [list] });
    await world.apply([lister]);
    await world.until("Available", [lister]);
    await world.scenario.pass(120_000);
    const { platform } = world.scenario;
    const { description = "" } = platform.createdIn("roles")[0] ?? {};
    platform.set("roles", { uid: roleUids.lister, name: "lister", description, capabilities: [list, excess] });
    const count = platform.applied.length;
    await world.apply([ci]);
    await readySoon(world, [lister, ci]);
    expect(platform.applied.slice(count).map(({ collection }) => collection)).toEqual(["roles", "identities"]);
  });

  it("is adopted once an object of another Tenant declares its role", async () => {
    const world = worldWith({ lister: [list] });
    await world.apply([ci]);
    await world.until("TenantDenied", [ci]);
    world.tenant("blue", { groups: [blue, red], identityUid: "" });
    await world.scenario.pass(soonMs);
    const elsewhere = { ...lister, namespace: "other" };
    await world.apply([elsewhere]);
    await readySoon(world, [elsewhere, ci]);
  });
});

/** A binding of the identity to the role of an object. */
const bindingOf = (name: string): Manifest => ({
  kind: "RoleBinding",
  name: `ci-${name}`,
  spec: {
    groupUid: red,
    identityUid: identity,
    roleRef: { kind: "Role", name },
    policy: { deletion: "Delete", drift: "Correct" },
  },
});

it("a RoleBinding is created once the operator has taken from its Role what the Tenant does not permit", async () => {
  const world = worldWith({ lister: [list, excess] });
  const binds = bindingOf("lister");
  await world.apply([binds]);
  await world.until("ReferenceNotFound", [binds]);
  await world.apply([lister]);
  await readySoon(world, [lister, binds]);
});

describe("a role that the Tenant lists", () => {
  /** The object declares a role, and reports that it allows more. */
  const declared: Manifest = { ...lister, spec: { ...lister.spec, policy: { adoption: "IfExists", drift: "Report" } } };
  const wide: Manifest = {
    kind: "Role",
    name: "wide",
    spec: { groupUid: red, capabilities: [excess], policy: { ...adopts, adoption: "Never" } },
  };
  const bindsWide = bindingOf("wide");

  it("permits others what it allows while no object declares it", async () => {
    const world = worldWith({ lister: [excess] });
    world.tenant("red", { roles: ["viewer", roleUids.lister] });
    await world.apply([wide, bindsWide]);
    await world.until("Available", [wide, bindsWide]);
    const { platform } = world.scenario;
    const made = platform.created();
    await world.apply([declared]);
    await world.until("TenantDenied", [wide, bindsWide]);
    expect(platform.created()).toEqual(made);
    await world.remove([declared]);
    await readySoon(world, [wide, bindsWide]);
  });
});
