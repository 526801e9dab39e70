import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { finalizer } from "#src/api/custom-resource.ts";
import { applyAdmissionPolicy } from "#test/deploy/admission-policy.ts";
import { kustomize } from "#test/deploy/kustomize.ts";
import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { System } from "#test/support/harness/system.ts";

const quick = ["--lease-duration", "3s", "--platform-timeout", "2s", "--settle-time", "500ms"];
const collections = [
  "groups",
  "identities",
  "roles",
  "roleBindings",
  "identityProviders",
  "accountAssociations",
] as const;

/** Makes one resource of each kind that an import observes. @returns the group that contains them */
async function makeByHand({ admin, root }: System): Promise<string> {
  const { uid: group } = await admin.create("groups", root, { name: "team", description: "by hand" });
  const { uid: shop } = await admin.create("groups", group, { name: "shop", description: "sells things" });
  const { uid: identityUid } = await admin.create("identities", shop, {
    name: "ci",
    claimMatch: { issuer: "https://issuer.example", subject: "ci" },
  });
  await admin.create("roles", shop, { name: "scanner", capabilities: ["CAP_REPO_LIST"] });
  const viewer = (await admin.list("roles")).find(({ name }) => name === "viewer")?.uid;
  await admin.create("roleBindings", shop, { identityUid, roleUid: viewer });
  await admin.create("identityProviders", shop, {
    name: "people",
    defaultRole: viewer,
    oidc: { issuer: "https://accounts.example.com", clientId: "muster", pkceEnabled: true },
  });
  await admin.create("accountAssociations", shop, { name: "cloud", amazon: { account: "123456789012" } });
  return group;
}

describeWithControlPlane(
  "objects that were applied with the finalizer policy while no operator led",
  (controlPlane) => {
    it("are observed once an operator leads, and can be deleted before and after that", async () => {
      const system = await System.start({ controlPlane: controlPlane(), rbac: await loadOperatorRbac() });
      const kube = system.controlPlane.admin;
      try {
        await applyAdmissionPolicy(kube);
        const group = await makeByHand(system);
        const folder = join(system.folder, "imported");
        const settings = {
          "--kubeconfig": system.controlPlane.kubeconfigFile,
          "--platform-url": system.platformUrl,
          "--token-file": system.adminTokenFile,
          "--group": group,
          "--dir": folder,
          "--namespace": "imported",
        };
        const imported = await runCommand(["import", ...Object.entries(settings).flat()]);
        expect(imported.code, imported.stderr).toBe(0);
        const manifests = await kustomize(folder);
        const own = manifests.filter(({ kind }) => kind !== "Namespace" && kind !== "Tenant");
        expect([...new Set(own.map(({ kind }) => kind))].toSorted()).toEqual([
          "AccountAssociation",
          "Group",
          "Identity",
          "IdentityProvider",
          "Role",
          "RoleBinding",
        ]);
        const resources = async () =>
          Promise.all(collections.map((collection) => system.admin.list(collection, group)));
        const before = await resources();
        const apply = async (objects: readonly KubeObject[]) => {
          for (const object of objects) await kube.apply(object);
        };

        await apply(manifests);
        for (const object of own)
          expect((await kube.get(object)).metadata).toMatchObject({ finalizers: [finalizer], generation: 1 });
        const first = await system.startOperator(quick);
        for (const object of own) {
          const ready = await system.ready(object);
          expect(ready.metadata.finalizers ?? []).toEqual([]);
          expect(ready["status"].management).toBe("Observed");
        }
        for (const object of own) await kube.delete(object);
        for (const object of own) await system.gone(object);
        await first.process.kill();

        await apply(own);
        for (const object of own) await kube.delete(object);
        // The deletion increments the generation.
        for (const object of own)
          expect((await kube.get(object)).metadata).toMatchObject({ finalizers: [finalizer], generation: 2 });
        await system.startOperator(quick);
        for (const object of own) await system.gone(object);
        expect(await resources()).toEqual(before);
      } finally {
        await system.stop();
      }
    });
  },
);
