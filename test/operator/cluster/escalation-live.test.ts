import { beforeAll, describe, expect, it, vi } from "vitest";
import { finalizer } from "#src/api/custom-resource.ts";
import { objectHash } from "#src/kinds/marker.ts";
import { kustomize } from "#test/deploy/kustomize.ts";
import { KubeClient, type KubeObject, type ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import {
  conditionOf,
  isUnready,
  type MusterKind,
  musterKinds,
  musterObject,
  ref,
} from "#test/support/harness/muster-objects.ts";
import type { PlatformCollection, PlatformResource } from "#test/support/harness/platform-admin.ts";
import { tenantObject, tenantRef } from "#test/support/harness/tenants.ts";
import {
  accomplice,
  attacker,
  attackerSpec,
  attackerTenant,
  build,
  credentialTypes,
  disclosures,
  everything,
  foreignDescription,
  issuer,
  stranger,
  victim,
  type World,
} from "./escalation-world.ts";

const claim = (subject: string) => ({ claimMatch: { issuer, subject } });
const later = () => new Date(Date.now() + 3_600_000).toISOString();
const paused = (value: string | null) => ({ metadata: { annotations: { "iam.muster.dev/paused": value } } });
const events = { apiVersion: "events.k8s.io/v1", kind: "Event" };

describe.each(credentialTypes)("privilege escalation over time with the credentials of %s", (credentials) => {
  describeWithSystem(
    "by a namespace editor",
    (system) => {
      const kube = () => system().controlPlane.admin;
      const admin = () => system().admin;
      let world: World;
      let before: unknown;

      const object = (kind: MusterKind, name: string, spec: object, metadata: object = {}): KubeObject => {
        const plain = musterObject(kind, attacker, name, spec);
        return { ...plain, metadata: { ...plain.metadata, ...metadata } };
      };
      /** Narrows the attacker's Tenant, or makes it as it was. */
      const tenant = (changes: object = {}) =>
        kube().apply(tenantObject(attackerTenant, { ...attackerSpec(world), ...changes }));
      const uidOf = async (one: KubeObject): Promise<string> => (await system().ready(one))["status"].uid;
      const exists = async (collection: PlatformCollection, uid: string): Promise<PlatformResource | undefined> =>
        (await admin().list(collection)).find((one) => one.uid === uid);
      const refused = async (one: ObjectRef, reason: string): Promise<KubeObject | undefined> => {
        const shown = await system().waitFor(one, isUnready(reason));
        expect(disclosures(shown, world)).toEqual([]);
        return shown;
      };
      const remove = async (...objects: readonly KubeObject[]): Promise<void> => {
        for (const one of objects) await kube().delete(one);
        for (const one of objects) await system().gone(one);
      };

      beforeAll(async () => {
        world = await build(system(), credentials);
        before = await everything(system());
      });

      it("keeps no resource without its object, however that is asked for", async () => {
        const group = (policy: object) => object("Group", "kept", { parentUid: world.own, policy });
        const identity = (policy: object) =>
          object("Identity", "kept", { groupUid: world.own, ...claim("attic:kept"), policy });
        const binding = (policy: object) =>
          object("RoleBinding", "kept", {
            groupUid: world.own,
            identityUid: world.robot,
            roleRef: { name: "viewer" },
            expiresAt: later(),
            policy,
          });
        for (const make of [group, identity]) {
          await kube().apply(make({ deletion: "Orphan" }));
          const uid = await uidOf(make({}));
          await kube().apply(make({ deletion: "Orphan", management: "Observe" }));
          await refused(make({}), "TenantDenied");
          await kube().apply(make({ deletion: "Orphan", management: "Full" }));
          expect(await uidOf(make({}))).toBe(uid);
          await kube().delete(make({}));
          await refused(make({}), "TenantDenied");
          await kube().apply(make({ deletion: "Delete" }));
          await system().gone(make({}));
        }
        // Equal to one that exists: it is taken over, and deleted with its object.
        await kube().apply(object("Identity", "bound", { groupUid: world.own, ...claim("attic:bound") }));
        const identityUid = await uidOf(object("Identity", "bound", {}));
        const own = binding({});
        const grant = { ...own, spec: { ...own["spec"], identityUid } };
        await kube().apply(grant);
        await uidOf(grant);
        await kube().apply({ ...grant, spec: { ...grant["spec"], policy: { management: "Observe" } } });
        await refused(grant, "TenantDenied");
        await kube().apply(grant);
        await system().ready(grant);
        await remove(grant, object("Identity", "bound", {}));
        expect(await everything(system())).toEqual(before);
      });

      it("gains nothing by markers that it forges", async () => {
        const { own, foreign, vault, vaultIdentity, vaultBinding } = world;
        const mark = async (kind: MusterKind, namespace: string, name: string): Promise<string> => {
          const [, owner = ""] = /\[muster:([0-9a-f]{8})/.exec((await admin().get("groups", vault)).description) ?? [];
          return `[muster:${owner}-${objectHash(kind, namespace, name)}]`;
        };
        const forged = [
          // The markers of the victim's objects, in the attacker's group.
          await admin().create("groups", own, { name: "vault", description: await mark("Group", victim, "vault") }),
          // The marker of an object of the attacker, in the victim's group.
          await admin().create("groups", foreign, { name: "x", description: await mark("Group", attacker, "planted") }),
          await admin().create("groups", own, { name: "theirs", description: `[muster:00000000-${"0".repeat(16)}]` }),
        ];
        const identities = [
          await admin().create("identities", own, {
            name: "vault",
            ...claim("attic:vault"),
            description: await mark("Identity", victim, "vault"),
          }),
          await admin().create("identities", vault, {
            name: "x",
            ...claim("attic:x"),
            description: await mark("Identity", attacker, "planted"),
          }),
          // It looks like the attacker's own, and somebody else can assume it.
          await admin().create("identities", own, {
            name: "app",
            ...claim("strange:app"),
            description: await mark("Identity", attacker, "app"),
          }),
        ];
        const withForged = await everything(system());
        const planted = [
          object("Group", "planted", { parentRef: { name: "missing" } }, { finalizers: [finalizer] }),
          object(
            "Identity",
            "planted",
            { groupRef: { name: "missing" }, ...claim("attic:x") },
            { finalizers: [finalizer] },
          ),
          object("Group", "theirs", { parentUid: own, name: "theirs", policy: { adoption: "IfExists" } }),
        ];
        for (const one of planted) await kube().apply(one);
        for (const one of planted.slice(0, 2)) await refused(one, "ReferenceNotFound");
        const conflict = await refused(planted[2] as KubeObject, "Conflict");
        expect(conditionOf(conflict, "Ready")?.message).toContain("owner 00000000");
        for (const one of planted) await kube().delete(one);
        await system().gone(planted[2] as KubeObject);
        for (const one of planted.slice(0, 2))
          expect(
            disclosures(await system().waitFor(one, (seen) => seen === undefined || isConcluded(seen)), world),
          ).toEqual([]);
        // The victim's objects keep their own.
        for (const [kind, uid] of [
          ["Group", vault],
          ["Identity", vaultIdentity],
          ["RoleBinding", vaultBinding],
        ] as const)
          expect((await system().ready(ref(kind, victim, "vault")))["status"].uid).toBe(uid);
        expect(await everything(system())).toEqual(withForged);

        const app = object("Identity", "app", { groupUid: own, ...claim("attic:app") });
        await kube().apply(app);
        const uid = await uidOf(app);
        expect(await exists("identities", uid)).toMatchObject(claim("attic:app"));
        await remove(app);
        for (const one of planted.slice(0, 2))
          await kube()
            .patch(one, { metadata: { finalizers: null } })
            .catch(() => undefined);
        for (const one of planted.slice(0, 2)) await system().gone(one);
        for (const { uid: one } of identities.slice(0, 2)) await admin().delete("identities", one);
        if (await exists("identities", identities[2]?.uid ?? ""))
          await admin().delete("identities", identities[2]?.uid ?? "");
        for (const { uid: one } of forged) await admin().delete("groups", one);
        expect(await everything(system())).toEqual(before);
      });

      it("extends no grant that has expired beyond what its Tenant permits", async () => {
        const robot = object("Identity", "expiring", { groupUid: world.own, ...claim("attic:expiring") });
        const grant = (expiresAt: string) =>
          object("RoleBinding", "expiring", {
            groupUid: world.own,
            identityRef: { name: "expiring" },
            roleRef: { name: "viewer" },
            expiresAt,
          });
        await kube().apply(robot);
        await system().ready(robot);
        const soon = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_000).toISOString();
        await kube().apply(grant(soon));
        const uid = await uidOf(grant(soon));
        // Paused before it expires: a pause does not extend the grant.
        await kube().patch(grant(soon), paused("true"));
        await system().waitFor(grant(soon), (seen) => isUnready("Expired")(seen) && seen?.["status"].uid === undefined);
        expect(await exists("roleBindings", uid)).toBeUndefined();
        await kube().patch(grant(soon), paused(null));
        const ended = await everything(system());
        // A status that a backup restored, or that somebody forged: neither is the resource of this object.
        for (const [restored, status] of Object.entries({
          itsOwn: { uid, parentUid: world.own, management: "Created" },
          // Of another identity than the status says.
          robots: {
            uid: world.robotBinding,
            parentUid: world.own,
            identityUid: world.emergency,
            roleUid: world.viewerRole,
            management: "Adopted",
          },
          theirs: {
            uid: world.vaultBinding,
            parentUid: world.vault,
            identityUid: world.vaultIdentity,
            roleUid: world.viewerRole,
            management: "Created",
          },
        })) {
          await kube().patch(grant(soon), { status }, "status");
          await kube().patch(grant(soon), {
            metadata: { annotations: { "iam.muster.dev/reconcile-requested-at": restored } },
          });
          const seen = await system().waitFor(
            grant(soon),
            (one) => isUnready("Expired")(one) && one?.["status"].lastHandledReconcileAt === restored,
          );
          expect(disclosures({ ...grant(soon), status: { conditions: seen?.["status"].conditions } }, world)).toEqual(
            [],
          );
          expect(await everything(system())).toEqual(ended);
        }
        // A later time, with a role that the Tenant does not permit any longer.
        await tenant({ roles: [] });
        await kube().patch(
          grant(soon),
          { status: { uid: null, parentUid: null, identityUid: null, roleUid: null } },
          "status",
        );
        await kube().apply(grant(later()));
        await refused(grant(soon), "TenantDenied");
        await tenant();
        await system().ready(grant(soon));
        await remove(grant(soon));
        expect(await everything(system())).toEqual(ended);
        await remove(robot);
        expect(await everything(system())).toEqual(before);
      });

      describe("whose Tenant is narrowed", () => {
        const group = (fields: object = {}) => object("Group", "narrowed", { parentUid: world.own, ...fields });
        const identity = (fields: object = {}) =>
          object("Identity", "narrowed", { groupUid: world.own, ...claim("attic:narrowed"), ...fields });
        const role = (fields: object = {}) =>
          object("Role", "narrowed", { groupUid: world.own, capabilities: ["CAP_REPO_LIST"], ...fields });
        const grant = () =>
          object("RoleBinding", "narrowed", {
            groupUid: world.own,
            identityRef: { name: "narrowed" },
            roleRef: { name: "viewer" },
          });
        let narrowed: unknown;

        beforeAll(async () => {
          for (const one of [group(), identity(), role(), grant()]) await kube().apply(one);
          for (const one of [group(), identity(), role(), grant()]) await system().ready(one);
          narrowed = await everything(system());
        });

        it.each<[string, object, readonly MusterKind[]]>([
          ["to no groups", { groups: [] }, musterKinds],
          ["to no roles", { roles: [] }, ["Role", "RoleBinding"]],
          ["to no issuers", { claimIssuers: [] }, ["Identity"]],
          ["to other subjects", { claimIssuers: [{ issuer, subjectPrefixes: ["cellar:"] }] }, ["Identity"]],
          ["to other types of identities", { identityTypes: ["ServiceAccount"] }, ["Identity"]],
          ["to other kinds", { kinds: ["Identity"] }, ["Group", "Role", "RoleBinding"]],
        ])("%s, writes nothing any longer, and loses nothing", async (_, changes, kinds) => {
          await tenant(changes);
          for (const kind of kinds) await refused(ref(kind, attacker, "narrowed"), "TenantDenied");
          // Edits, and requested reconciles, of what is denied.
          if (kinds.includes("Group")) await kube().apply(group({ description: "edited" }));
          if (kinds.includes("Identity")) await kube().apply(identity({ description: "edited" }));
          if (kinds.includes("Role")) await kube().apply(role({ description: "edited" }));
          if (kinds.includes("RoleBinding"))
            await kube().patch(grant(), { metadata: { annotations: { "iam.muster.dev/reconcile-requested-at": _ } } });
          for (const kind of kinds) await refused(ref(kind, attacker, "narrowed"), "TenantDenied");
          expect(await everything(system())).toEqual(narrowed);
          for (const one of [group(), identity(), role()]) await kube().apply(one);
          await tenant();
          for (const kind of musterKinds) await system().ready(ref(kind, attacker, "narrowed"));
          expect(withoutTimes(await everything(system()))).toEqual(withoutTimes(narrowed));
        });

        it("does not re-create a grant that is not permitted any longer", async () => {
          const uid = await uidOf(grant());
          await tenant({ roles: [] });
          await refused(grant(), "TenantDenied");
          await admin().delete("roleBindings", uid);
          await kube().patch(grant(), {
            metadata: { annotations: { "iam.muster.dev/reconcile-requested-at": "now" } },
          });
          await kube().apply({ ...grant(), spec: { ...grant()["spec"], expiresAt: later() } });
          await refused(grant(), "TenantDenied");
          expect((await admin().list("roleBindings", world.own)).map((one) => one.uid)).not.toContain(uid);
          await tenant();
          await system().ready(grant());
        });

        it("does not keep or adopt what only the wider Tenant let it", async () => {
          await tenant({ adopt: musterKinds, allowOrphan: true });
          const adopted = object("Group", "adopted", {
            parentUid: world.own,
            name: "unmanaged",
            uid: world.unmanaged,
          });
          await kube().apply(adopted);
          await system().ready(adopted);
          await tenant();
          // What was adopted stays adopted, and cannot become an orphan by another way than it came.
          await kube().apply(object("Group", "again", { parentUid: world.own, uid: world.unmanaged }));
          await refused(object("Group", "again", {}), "Conflict");
          await remove(object("Group", "again", {}));
          await kube().delete(adopted);
          await system().gone(adopted);
          expect((await exists("groups", world.unmanaged))?.description ?? "").toBe("");
          const second = object("Group", "second", { parentUid: world.own, uid: world.unmanaged });
          await kube().apply(second);
          await refused(second, "TenantDenied");
          await remove(second);
        });

        it("leaves what it declared when it is deleted", async () => {
          await remove(grant(), identity(), role(), group());
          expect(withoutTimes(await everything(system()))).toEqual(withoutTimes(before));
        });
      });

      it("cannot bind a role to a credential, or mimic that of the operator", async () => {
        const { own, operator, credential } = world;
        for (const identityUid of [operator, ...(credential === undefined ? [] : [credential])]) {
          const grant = object("RoleBinding", "credential", {
            groupUid: own,
            identityUid,
            roleRef: { name: "viewer" },
          });
          await kube().apply(grant);
          await refused(grant, "TenantDenied");
          await remove(grant);
        }
        for (const name of ["muster-system:muster", "../muster-system/muster", "muster/../muster"])
          await expect(
            kube().apply(object("Identity", "mimic", { groupUid: own, serviceAccountRef: { name } })),
          ).rejects.toThrow("serviceAccountRef");
        const mimic = object("Identity", "mimic", {
          groupUid: own,
          serviceAccountRef: { name: "muster", audience: new URL(system().platformUrl).hostname },
        });
        await kube().apply(mimic);
        const uid = await uidOf(mimic);
        expect((await admin().get("identities", uid))["claimMatch"].subject).toBe(
          `system:serviceaccount:${attacker}:muster`,
        );
        await remove(mimic);
      });

      it("cannot write a status, abandon, confirm, or change a Tenant", async () => {
        const { url, ca } = system().controlPlane;
        const metadata = { namespace: attacker, name: "editor" };
        await kube().apply({ apiVersion: "v1", kind: "ServiceAccount", metadata });
        await applyUserRoles(kube(), metadata);
        const editor = new KubeClient({ url, ca, token: await kube().createToken(attacker, "editor") });
        const own = object("Group", "edited", { parentUid: world.own });
        await system().waitFor(own, (seen) => seen === undefined);
        await eventually(() => editor.apply(own));
        const uid = await uidOf(own);
        const abandoned = { metadata: { annotations: { "iam.muster.dev/abandon": "true" } } };
        // The API server enforces the policy a moment after its creation.
        await eventually(() =>
          expect(
            editor.create(
              { ...own, metadata: { ...own.metadata, name: "probe", ...abandoned.metadata } },
              { dryRun: true },
            ),
          ).rejects.toMatchObject({ code: 403 }),
        );
        const forged = { status: { uid: world.vault, management: "Created" } };
        const attempts = [
          () => editor.patch(own, forged, "status"),
          () => editor.patch(own, abandoned),
          () => editor.patch(own, { metadata: { finalizers: null } }),
          () => editor.patch(tenantRef(attackerTenant), { spec: { allowOrphan: true } }),
          () =>
            editor.patch(tenantRef(attackerTenant), { metadata: { annotations: { "iam.muster.dev/confirm": "x" } } }),
          () => editor.patch(tenantRef(attackerTenant), { status: { conditions: [] } }, "status"),
          () => editor.create(tenantObject("mine", { namespaces: [attacker], groups: [world.root] })),
          () => editor.delete(tenantRef("treasury-tenant")),
          () => editor.get(tenantRef("treasury-tenant")),
          () => editor.get(ref("Group", victim, "vault")),
          () => editor.patch(ref("Group", victim, "vault"), { spec: { allowedNamespaces: [attacker] } }),
          () =>
            editor.patch(
              { apiVersion: "v1", kind: "Namespace", metadata: { name: attacker } },
              { metadata: { labels: { team: "treasury" } } },
            ),
        ];
        for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 403 });
        expect(await uidOf(own)).toBe(uid);
        await remove(own);
      });

      it("learns nothing about others from events", async () => {
        const said = JSON.stringify([
          ...(await kube().list(events, { namespace: attacker })),
          ...(await kube().list(events, { namespace: accomplice })),
        ]);
        const { foreign, vault, vaultIdentity, vaultBinding } = world;
        const secrets = [foreign, vault, vaultIdentity, vaultBinding, foreignDescription, "treasury"];
        expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
      });
    },
    { namespaces: [victim, attacker, accomplice, stranger], tenants: () => [] },
  );
});

/** Whether the operator reported an outcome of the deletion. */
function isConcluded(seen: KubeObject): boolean {
  return seen.metadata.deletionTimestamp !== undefined && conditionOf(seen, "Ready") !== undefined;
}

/** The resources without the times of their last writes: an edit that was reverted leaves no other trace. */
function withoutTimes(resources: unknown): unknown {
  return (resources as readonly PlatformResource[]).map(
    ({ updatedAt: _updatedAt, updateTime: _updateTime, ...rest }) => rest,
  );
}

/** The permissions of somebody who edits a namespace. */
async function applyUserRoles(
  admin: { apply: (object: KubeObject) => Promise<KubeObject> },
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  for (const one of await kustomize("base"))
    if (["muster-edit", "muster-reserved"].includes(one.metadata.name)) await admin.apply(one);
  await admin.apply({
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { namespace, name },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "muster-edit" },
    subjects: [{ kind: "ServiceAccount", namespace, name }],
  });
}

/** Repeats a request until the API server has observed the permissions for it. */
async function eventually(request: () => Promise<unknown>): Promise<void> {
  await vi.waitFor(request, { timeout: 30_000, interval: 100 });
}
