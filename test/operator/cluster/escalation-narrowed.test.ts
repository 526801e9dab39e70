import { beforeAll, describe, expect, it } from "vitest";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { type MusterKind, musterKinds, ref } from "#test/support/harness/muster-objects.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import { Attacker, objectOf } from "./attacker.ts";
import {
  accomplice,
  attacker,
  build,
  claim,
  credentialsInTurn,
  everything,
  issuer,
  later,
  stranger,
  victim,
  type World,
} from "./escalation-world.ts";

describe.each(credentialsInTurn)("privilege escalation with the credentials of %s", (credentials) => {
  describeWithSystem(
    "by a namespace editor whose Tenant is narrowed",
    (system) => {
      const kube = () => system().controlPlane.admin;
      const admin = () => system().admin;
      let world: World;
      let editor: Attacker;
      let before: unknown;
      const group = (fields: object = {}) => objectOf("Group", "narrowed", { parentUid: world.own, ...fields });
      const identity = (fields: object = {}) =>
        objectOf("Identity", "narrowed", { groupUid: world.own, ...claim("attic:narrowed"), ...fields });
      const role = (fields: object = {}) =>
        objectOf("Role", "narrowed", { groupUid: world.own, capabilities: ["CAP_REPO_LIST"], ...fields });
      const grant = () =>
        objectOf("RoleBinding", "narrowed", {
          groupUid: world.own,
          identityRef: { name: "narrowed" },
          roleRef: { name: "viewer" },
        });
      let narrowed: unknown;

      beforeAll(async () => {
        world = await build(system(), credentials);
        editor = new Attacker(system(), world);
        before = await everything(system());
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
        await editor.tenant(changes);
        for (const kind of kinds) await editor.refused(ref(kind, attacker, "narrowed"), "TenantDenied");
        // Edits, and requested reconciles, of what is denied.
        if (kinds.includes("Group")) await kube().apply(group({ description: "edited" }));
        if (kinds.includes("Identity")) await kube().apply(identity({ description: "edited" }));
        if (kinds.includes("Role")) await kube().apply(role({ description: "edited" }));
        if (kinds.includes("RoleBinding"))
          await kube().patch(grant(), { metadata: { annotations: { "iam.muster.dev/reconcile-requested-at": _ } } });
        for (const kind of kinds) await editor.refused(ref(kind, attacker, "narrowed"), "TenantDenied");
        expect(await everything(system())).toEqual(narrowed);
        for (const one of [group(), identity(), role()]) await kube().apply(one);
        await editor.tenant();
        for (const kind of musterKinds) await system().ready(ref(kind, attacker, "narrowed"));
        expect(withoutTimes(await everything(system()))).toEqual(withoutTimes(narrowed));
      });

      it("does not re-create a grant that is not permitted any longer", async () => {
        const uid = await editor.uidOf(grant());
        await editor.tenant({ roles: [] });
        await editor.refused(grant(), "TenantDenied");
        await admin().delete("roleBindings", uid);
        await kube().patch(grant(), {
          metadata: { annotations: { "iam.muster.dev/reconcile-requested-at": "now" } },
        });
        await kube().apply({ ...grant(), spec: { ...grant()["spec"], expiresAt: later() } });
        await editor.refused(grant(), "TenantDenied");
        expect((await admin().list("roleBindings", world.own)).map((one) => one.uid)).not.toContain(uid);
        await editor.tenant();
        await system().ready(grant());
      });

      it("does not keep or adopt what only the wider Tenant let it", async () => {
        await editor.tenant({ adopt: musterKinds, allowOrphan: true });
        const adopted = objectOf("Group", "adopted", {
          parentUid: world.own,
          name: "unmanaged",
          uid: world.unmanaged,
        });
        await kube().apply(adopted);
        await system().ready(adopted);
        await editor.tenant();
        // What was adopted stays adopted, and cannot become an orphan by another way than it came.
        await kube().apply(objectOf("Group", "again", { parentUid: world.own, uid: world.unmanaged }));
        await editor.refused(objectOf("Group", "again", {}), "Conflict");
        await editor.remove(objectOf("Group", "again", {}));
        await kube().delete(adopted);
        await system().gone(adopted);
        expect((await editor.exists("groups", world.unmanaged))?.description ?? "").toBe("");
        const second = objectOf("Group", "second", { parentUid: world.own, uid: world.unmanaged });
        await kube().apply(second);
        await editor.refused(second, "TenantDenied");
        await editor.remove(second);
      });

      it("leaves what it declared when it is deleted", async () => {
        await editor.remove(grant(), identity(), role(), group());
        expect(withoutTimes(await everything(system()))).toEqual(withoutTimes(before));
      });

      it("learns nothing about others from events", async () => {
        expect(await editor.disclosedByEvents()).toEqual([]);
      });
    },
    { namespaces: [victim, attacker, accomplice, stranger], tenants: () => [] },
  );
});

/** The resources without the times of their last writes: an edit that was reverted leaves no other trace. */
function withoutTimes(resources: unknown): unknown {
  return (resources as readonly PlatformResource[]).map(
    ({ updatedAt: _updatedAt, updateTime: _updateTime, ...rest }) => rest,
  );
}
