import { expect, it } from "vitest";
import { follow } from "#test/support/control-plane/follow.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isReady, isUnready, musterObject, ref } from "#test/support/harness/muster-objects.ts";
import type { System } from "#test/support/harness/system.ts";
import { createTenantCredentials } from "#test/support/harness/tenant-credentials.ts";
import { permissiveTenant, tenantRef } from "#test/support/harness/tenants.ts";

interface OwnTenant {
  readonly group: string;
  readonly identity: string;
}

/** Creates a namespace, and a group with an identity that owns it, which the Tenant's service account assumes. */
async function prepareOwnTenant(system: System, name: string): Promise<OwnTenant> {
  const { admin, controlPlane } = system;
  const { uid: group } = await admin.create("groups", system.root, { name });
  const identity = await createTenantCredentials(system, name, group);
  await controlPlane.admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return { group, identity };
}

function ownTenant(name: string, { group, identity }: OwnTenant) {
  const tenant = permissiveTenant(name, { namespaces: [name], groups: [group], roles: ["viewer"] });
  return { ...tenant, spec: { ...tenant["spec"], credentials: { type: "ServiceAccount", identityUid: identity } } };
}

describeWithSystem("Tenants with credentials", (system) => {
  it("a Tenant with its own service account and one with the operator's identity work side by side", async () => {
    const { admin } = system().controlPlane;
    const shop = await prepareOwnTenant(system(), "shop");
    await admin.apply(ownTenant("shop", shop));
    await admin.apply(musterObject("Group", "shop", "own", { parentUid: shop.group }));
    await admin.apply(musterObject("Group", "team", "shared", { parentUid: system().root }));
    const own = await system().ready(ref("Group", "shop", "own"), 10_000);
    expect(own["status"]).toMatchObject({ tenant: "shop", parentUid: shop.group });
    await system().ready(ref("Group", "team", "shared"));
  });

  it("a broken credential of one Tenant does not touch the other", async () => {
    const { admin } = system().controlPlane;
    const bank = await prepareOwnTenant(system(), "bank");
    // The identity of another Tenant, which the service account of this one does not match.
    await admin.apply(ownTenant("bank", { ...bank, identity: system().identity }));
    // Before anything in its namespace needs the credential, and before it could have seemed to work.
    expect(await readyUntil(system(), "bank", "TokenExchangeFailed")).not.toContain("True");
    const shown = await admin.get(tenantRef("bank"));
    expect(conditionOf(shown, "Ready")?.message).toContain("The credential does not work:");
    await admin.apply(musterObject("Group", "bank", "waiting", { parentUid: bank.group }));
    await system().waitFor(ref("Group", "bank", "waiting"), (object) => object?.["status"]?.conditions !== undefined);
    expect(isReady(await admin.get(ref("Group", "bank", "waiting")))).toBe(false);
    await admin.apply(musterObject("Group", "shop", "untouched", { parentUid: (await shopGroup(system())) ?? "" }));
    await system().ready(ref("Group", "shop", "untouched"), 5_000);

    // Corrected: the objects that wait for it continue at once.
    await admin.apply(ownTenant("bank", bank));
    await system().ready(ref("Group", "bank", "waiting"), 5_000);
    await system().waitFor(tenantRef("bank"), isReady, 5_000);
  });

  it("a Tenant whose identity may not list everything says so, until it may", async () => {
    const { admin, controlPlane } = system();
    const own = await prepareOwnTenant(system(), "narrow");
    const roles = await admin.list("roles");
    const bind = (name: string) =>
      admin.create("roleBindings", own.group, {
        identityUid: own.identity,
        roleUid: roles.find((role) => role.name === name && !role.uid.includes("/"))?.uid,
      });
    const owner = await bind("registry.pull");
    for (const { uid } of await admin.list("roleBindings", own.group))
      if (uid !== owner.uid) await admin.delete("roleBindings", uid);
    await controlPlane.admin.apply(ownTenant("narrow", own));
    const shown = await system().waitFor(tenantRef("narrow"), isUnready("PermissionDenied"));
    expect(conditionOf(shown, "Ready")?.message).toContain(`CAP_IAM_IDENTITY_LIST in group ${own.group}`);
    await bind("owner");
    await controlPlane.admin.apply(musterObject("Group", "narrow", "waiting", { parentUid: own.group }));
    await system().waitFor(tenantRef("narrow"), isReady);
  });

  it("another group of a Tenant takes effect without a restart, and a narrowed Tenant keeps what is outside", async () => {
    const { admin } = system().controlPlane;
    const [first, second] = [
      await prepareOwnTenant(system(), "move"),
      await system().admin.create("groups", system().root, { name: "elsewhere" }),
    ];
    await admin.apply(ownTenant("move", first));
    await admin.apply(musterObject("Group", "move", "inside", { parentUid: first.group }));
    await system().ready(ref("Group", "move", "inside"), 10_000);
    const uid = (await admin.get(ref("Group", "move", "inside")))["status"].uid;

    await admin.apply(ownTenant("move", { ...first, group: second.uid }));
    await system().waitFor(ref("Group", "move", "inside"), isUnready("TenantDenied"));
    expect(await system().admin.get("groups", uid)).toMatchObject({ name: "inside" });
    await admin.apply(ownTenant("move", first));
    await system().ready(ref("Group", "move", "inside"), 5_000);
    expect((await admin.get(tenantRef("move"))).metadata.finalizers).toEqual(["iam.muster.dev/external"]);
  });
});

/** What `Ready` of the Tenant said, one after the other, until it has this reason. */
async function readyUntil({ controlPlane }: System, name: string, reason: string): Promise<string[]> {
  const seen: string[] = [];
  for await (const { object } of follow(controlPlane.admin, tenantRef(name), undefined, AbortSignal.timeout(5_000))) {
    const ready = object.metadata.name === name ? conditionOf(object, "Ready") : undefined;
    if (ready !== undefined) seen.push(ready.status);
    if (ready?.reason === reason) return seen;
  }
  throw new Error(`Tenant ${name} did not report ${reason}`);
}

async function shopGroup(system: System): Promise<string | undefined> {
  return (await system.admin.list("groups")).find(({ name }) => name === "shop")?.uid;
}
