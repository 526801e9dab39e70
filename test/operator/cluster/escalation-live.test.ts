import { beforeAll, describe, expect, it } from "vitest";
import { finalizer } from "#src/api/custom-resource.ts";
import { objectHash } from "#src/kinds/marker.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { operatorAccount } from "#test/support/harness/system.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, type MusterKind, ref } from "#test/support/harness/muster-objects.ts";
import { tenantObject, tenantRef } from "#test/support/harness/tenants.ts";
import { Attacker, eventually, objectOf } from "./attacker.ts";
import {
  accomplice,
  attacker,
  attackerTenant,
  build,
  claim,
  credentialsInTurn,
  disclosures,
  everything,
  later,
  stranger,
  victim,
  type World,
} from "./escalation-world.ts";

const paused = (value: string | null) => ({ metadata: { annotations: { "iam.muster.dev/paused": value } } });

describe.each(credentialsInTurn)("privilege escalation over time with the credentials of %s", (credentials) => {
  describeWithSystem(
    "by a namespace editor",
    (system) => {
      const kube = () => system().controlPlane.admin;
      const admin = () => system().admin;
      let world: World;
      let editor: Attacker;
      let before: unknown;

      beforeAll(async () => {
        world = await build(system(), credentials);
        editor = new Attacker(system(), world);
        before = await everything(system());
      });

      it("keeps no resource without its object, however that is asked for", async () => {
        const group = (policy: object) => objectOf("Group", "kept", { parentUid: world.own, policy });
        const identity = (policy: object) =>
          objectOf("Identity", "kept", { groupUid: world.own, ...claim("attic:kept"), policy });
        const binding = (policy: object) =>
          objectOf("RoleBinding", "kept", {
            groupUid: world.own,
            identityUid: world.robot,
            roleRef: { name: "viewer" },
            expiresAt: later(),
            policy,
          });
        for (const make of [group, identity]) {
          await kube().apply(make({ deletion: "Orphan" }));
          const uid = await editor.uidOf(make({}));
          await kube().apply(make({ deletion: "Orphan", management: "Observe" }));
          await editor.refused(make({}), "TenantDenied");
          await kube().apply(make({ deletion: "Orphan", management: "Full" }));
          expect(await editor.uidOf(make({}))).toBe(uid);
          await kube().delete(make({}));
          await editor.refused(make({}), "TenantDenied");
          await kube().apply(make({ deletion: "Delete" }));
          await system().gone(make({}));
        }
        // Equal to one that exists: it is taken over, and deleted with its object.
        await kube().apply(objectOf("Identity", "bound", { groupUid: world.own, ...claim("attic:bound") }));
        const identityUid = await editor.uidOf(objectOf("Identity", "bound", {}));
        const own = binding({});
        const grant = { ...own, spec: { ...own["spec"], identityUid } };
        await kube().apply(grant);
        await editor.uidOf(grant);
        await kube().apply({ ...grant, spec: { ...grant["spec"], policy: { management: "Observe" } } });
        await editor.refused(grant, "TenantDenied");
        await kube().apply(grant);
        await system().ready(grant);
        await editor.remove(grant, objectOf("Identity", "bound", {}));
        expect(await everything(system())).toEqual(before);
      });

      it("gets no role that an administrator has bound to an identity of its own by hand", async () => {
        const mine = (subject: string) => objectOf("Identity", "mine", { groupUid: world.own, ...claim(subject) });
        const subject = async (uid: string) => (await admin().get("identities", uid))["claimMatch"].subject;
        await kube().apply(mine("attic:trusted"));
        const uid = await editor.uidOf(mine(""));
        const { ownerRole, root } = world;
        const byHand = await admin().create("roleBindings", root, { identityUid: uid, roleUid: ownerRole });
        await kube().apply(mine("attic:other"));
        // The platform does not show the role binding to a credential of the Tenant, and refuses the change itself.
        const shown = await editor.refused(mine(""), credentials === "Operator" ? "TenantDenied" : "PermissionDenied");
        expect(JSON.stringify(shown?.["status"])).not.toContain(byHand.uid);
        expect(await subject(uid)).toBe("attic:trusted");
        await admin().delete("roleBindings", byHand.uid);
        await kube().patch(mine(""), {
          metadata: { annotations: { "iam.muster.dev/reconcile-requested-at": "after it was removed" } },
        });
        await system().ready(mine(""));
        expect(await subject(uid)).toBe("attic:other");
        await editor.remove(mine(""));
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
          objectOf("Group", "planted", { parentRef: { name: "missing" } }, { finalizers: [finalizer] }),
          objectOf(
            "Identity",
            "planted",
            { groupRef: { name: "missing" }, ...claim("attic:x") },
            { finalizers: [finalizer] },
          ),
          objectOf("Group", "theirs", { parentUid: own, name: "theirs", policy: { adoption: "IfExists" } }),
        ];
        for (const one of planted) await kube().apply(one);
        for (const one of planted.slice(0, 2)) await editor.refused(one, "ReferenceNotFound");
        const conflict = await editor.refused(planted[2] as KubeObject, "Conflict");
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

        const app = objectOf("Identity", "app", { groupUid: own, ...claim("attic:app") });
        await kube().apply(app);
        const uid = await editor.uidOf(app);
        expect(await editor.exists("identities", uid)).toMatchObject(claim("attic:app"));
        await editor.remove(app);
        for (const one of planted.slice(0, 2))
          await kube()
            .patch(one, { metadata: { finalizers: null } })
            .catch(() => undefined);
        for (const one of planted.slice(0, 2)) await system().gone(one);
        for (const { uid: one } of identities.slice(0, 2)) await admin().delete("identities", one);
        if (await editor.exists("identities", identities[2]?.uid ?? ""))
          await admin().delete("identities", identities[2]?.uid ?? "");
        for (const { uid: one } of forged) await admin().delete("groups", one);
        expect(await everything(system())).toEqual(before);
      });

      it("extends no grant that has expired beyond what its Tenant permits", async () => {
        const robot = objectOf("Identity", "expiring", { groupUid: world.own, ...claim("attic:expiring") });
        const grant = (expiresAt: string) =>
          objectOf("RoleBinding", "expiring", {
            groupUid: world.own,
            identityRef: { name: "expiring" },
            roleRef: { name: "viewer" },
            expiresAt,
          });
        await kube().apply(robot);
        await system().ready(robot);
        const soon = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_000).toISOString();
        await kube().apply(grant(soon));
        const uid = await editor.uidOf(grant(soon));
        // Paused before it expires: a pause does not extend the grant.
        await kube().patch(grant(soon), paused("true"));
        await system().waitFor(grant(soon), (seen) => isUnready("Expired")(seen) && seen?.["status"].uid === undefined);
        expect(await editor.exists("roleBindings", uid)).toBeUndefined();
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
        await editor.tenant({ roles: [] });
        await kube().patch(
          grant(soon),
          { status: { uid: null, parentUid: null, identityUid: null, roleUid: null } },
          "status",
        );
        await kube().apply(grant(later()));
        await editor.refused(grant(soon), "TenantDenied");
        await editor.tenant();
        await system().ready(grant(soon));
        await editor.remove(grant(soon));
        expect(await everything(system())).toEqual(ended);
        await editor.remove(robot);
        expect(await everything(system())).toEqual(before);
      });

      it("cannot bind a role to a credential, or mimic that of the operator", async () => {
        const { own, operator, credential } = world;
        for (const identityUid of [operator, ...(credential === undefined ? [] : [credential])]) {
          const grant = objectOf("RoleBinding", "credential", {
            groupUid: own,
            identityUid,
            roleRef: { name: "viewer" },
          });
          await kube().apply(grant);
          await editor.refused(grant, "TenantDenied");
          await editor.remove(grant);
        }
        for (const name of [
          "muster-system:muster-operator",
          "../muster-system/muster-operator",
          "muster/../muster-operator",
        ])
          await expect(
            kube().apply(objectOf("Identity", "mimic", { groupUid: own, serviceAccountRef: { name } })),
          ).rejects.toThrow("serviceAccountRef");
        const mimic = objectOf("Identity", "mimic", {
          groupUid: own,
          serviceAccountRef: { name: operatorAccount, audience: new URL(system().platformUrl).hostname },
        });
        await kube().apply(mimic);
        const uid = await editor.uidOf(mimic);
        expect((await admin().get("identities", uid))["claimMatch"].subject).toBe(
          `system:serviceaccount:${attacker}:${operatorAccount}`,
        );
        await editor.remove(mimic);
      });

      it("cannot write a status, abandon, confirm, or change a Tenant", async () => {
        const client = await editor.client();
        const own = objectOf("Group", "edited", { parentUid: world.own });
        await system().waitFor(own, (seen) => seen === undefined);
        await eventually(() => client.apply(own));
        const uid = await editor.uidOf(own);
        const abandoned = { metadata: { annotations: { "iam.muster.dev/abandon": "true" } } };
        // The API server enforces the policy a moment after its creation.
        await eventually(() =>
          expect(
            client.create(
              { ...own, metadata: { ...own.metadata, name: "probe", ...abandoned.metadata } },
              { dryRun: true },
            ),
          ).rejects.toMatchObject({ code: 403 }),
        );
        const forged = { status: { uid: world.vault, management: "Created" } };
        const attempts = [
          () => client.patch(own, forged, "status"),
          () => client.patch(own, abandoned),
          () => client.patch(own, { metadata: { finalizers: null } }),
          () => client.patch(tenantRef(attackerTenant), { spec: { allowOrphan: true } }),
          () =>
            client.patch(tenantRef(attackerTenant), { metadata: { annotations: { "iam.muster.dev/confirm": "x" } } }),
          () => client.patch(tenantRef(attackerTenant), { status: { conditions: [] } }, "status"),
          () => client.create(tenantObject("mine", { namespaces: [attacker], groups: [world.root] })),
          () => client.delete(tenantRef("treasury-tenant")),
          () => client.get(tenantRef("treasury-tenant")),
          () => client.get(ref("Group", victim, "vault")),
          () => client.patch(ref("Group", victim, "vault"), { spec: { allowedNamespaces: [attacker] } }),
          () =>
            client.patch(
              { apiVersion: "v1", kind: "Namespace", metadata: { name: attacker } },
              { metadata: { labels: { team: "treasury" } } },
            ),
        ];
        for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 403 });
        expect(await editor.uidOf(own)).toBe(uid);
        await editor.remove(own);
      });

      it("learns nothing about others from events", async () => {
        expect(await editor.disclosedByEvents()).toEqual([]);
      });
    },
    { namespaces: [victim, attacker, accomplice, stranger], tenants: () => [] },
  );
});

/** Whether the operator reported an outcome of the deletion. */
function isConcluded(seen: KubeObject): boolean {
  return seen.metadata.deletionTimestamp !== undefined && conditionOf(seen, "Ready") !== undefined;
}
