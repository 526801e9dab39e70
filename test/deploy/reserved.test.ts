import { beforeAll, describe, expect, it, vi } from "vitest";
import { abandonAnnotation } from "#src/api/annotations.ts";
import { apiGroup, apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { type KindName, kinds } from "#src/kinds/kinds.ts";
import { cases } from "#test/manifests/cases.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { applyDefinitions } from "./definitions.ts";
import { kustomize } from "./kustomize.ts";
import { operatorAccount } from "./operator-rbac.ts";
import { bindRole, createRole, refusal, serviceAccount } from "./users.ts";

const namespace = "team-a";
const plurals = kinds.map(({ definition: { plural } }) => plural);
const theirs = "example.com/theirs";
const mergePatch = "application/merge-patch+json";

let count = 0;
function object(kind: KindName, metadata: object = {}): KubeObject {
  count += 1;
  return {
    apiVersion,
    kind,
    metadata: { name: `object-${count}`, namespace, finalizers: [theirs, finalizer], ...metadata },
    spec: cases[kind].valid[0]?.spec,
  };
}

const status = { observedGeneration: 1, uid: `${"0".repeat(40)}/${"1".repeat(16)}` };

describeWithControlPlane("the admission policies that protect status, finalizer and Tenants", (controlPlane) => {
  let admin: KubeClient;
  /** May do everything with objects in RBAC, also write their status, and may patch Tenants and their status. */
  let powerful: KubeClient;
  /** May update Tenants. */
  let tenantAdmin: KubeClient;
  /** A service account with a wildcard, such as that of a GitOps or a restore tool. */
  let clusterAdmin: KubeClient;
  let operator: KubeClient;

  beforeAll(async () => {
    ({ admin } = controlPlane());
    await applyDefinitions(admin);
    await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    for (const one of await kustomize("base")) await admin.apply(one);

    const objects = {
      apiGroups: [apiGroup],
      resources: plurals.flatMap((one) => [one, `${one}/status`]),
      verbs: ["*"],
    };
    await createRole(controlPlane(), "powerful", [
      objects,
      { apiGroups: [apiGroup], resources: ["tenants"], verbs: ["get", "patch"] },
      { apiGroups: [apiGroup], resources: ["tenants/status"], verbs: ["*"] },
    ]);
    await createRole(controlPlane(), "objects", [
      objects,
      { apiGroups: [apiGroup], resources: ["tenants/status"], verbs: ["*"] },
    ]);
    powerful = await serviceAccount(controlPlane(), "default", "powerful");
    await bindRole(controlPlane(), "powerful", "powerful", undefined);
    tenantAdmin = await serviceAccount(controlPlane(), "default", "tenant-admin");
    await bindRole(controlPlane(), "tenant-admin", "objects", undefined);
    await bindRole(controlPlane(), "tenant-admin", "muster-tenant-admin", undefined);
    clusterAdmin = await serviceAccount(controlPlane(), "default", "cluster-admin");
    await bindRole(controlPlane(), "cluster-admin", "cluster-admin", undefined);
    operator = await serviceAccount(controlPlane(), operatorAccount.namespace, operatorAccount.name);

    // The API server observes roles and policies a moment after their creation.
    const probe = object("Group", { annotations: { [abandonAnnotation]: "true" } });
    await vi.waitFor(
      async () => {
        expect(await refusal(powerful.create(probe, { dryRun: true }))).toContain("muster-reserved");
        await tenantAdmin.create(probe, { dryRun: true });
        await clusterAdmin.create(probe, { dryRun: true });
      },
      { timeout: 60_000, interval: 100 },
    );
    const sample = await admin.create(object("Group"));
    let attempt = 0;
    await vi.waitFor(
      async () => {
        await operator.patch(sample, { status }, "status");
        // Another value each time: before the policy is in effect the patch succeeds, and then it would change nothing.
        const labels = { attempt: String((attempt += 1)) };
        expect(await refusal(operator.patch(sample, { metadata: { labels } }))).toContain("muster-operator-writes");
      },
      { timeout: 60_000, interval: 100 },
    );
  });

  it("are accepted by the API server without warnings about types", async () => {
    const policies = (await kustomize("base")).filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
    expect(policies.length).toBeGreaterThan(1);
    for (const policy of policies) {
      const checked = await admin.waitFor(policy, (seen) => seen?.["status"]?.observedGeneration !== undefined);
      expect(checked?.["status"].typeChecking?.expressionWarnings ?? []).toEqual([]);
    }
  });

  describe.each(kinds)("somebody with all permissions on a $name except those on Tenants", ({ name: kind }) => {
    it("can create it with and without the finalizer, and add the finalizer", async () => {
      await powerful.create(object(kind));
      const without = await powerful.create(object(kind, { finalizers: [theirs] }));
      const patched = await powerful.patch(without, { metadata: { finalizers: [theirs, finalizer] } });
      expect(patched.metadata.finalizers).toContain(finalizer);
    });

    it("cannot create it with the annotation that abandons", async () => {
      for (const value of ["true", "false", ""]) {
        const abandoned = object(kind, { annotations: { [abandonAnnotation]: value } });
        expect(await refusal(powerful.create(abandoned))).toContain(`metadata.annotations[${abandonAnnotation}]`);
        expect(await refusal(powerful.apply(abandoned))).toContain(`metadata.annotations[${abandonAnnotation}]`);
      }
    });

    it("cannot set or change the annotation that abandons, and can remove it", async () => {
      const plain = await powerful.create(object(kind));
      const abandon = (value: string | null) => ({ metadata: { annotations: { [abandonAnnotation]: value } } });
      expect(await refusal(powerful.patch(plain, abandon("true")))).toContain("ask somebody who may update Tenants");
      // An administrator's "false" must not become "true".
      await admin.patch(plain, abandon("false"));
      expect(await refusal(powerful.patch(plain, abandon("true")))).toContain(abandonAnnotation);
      await powerful.patch(plain, { metadata: { annotations: { "example.com/other": "kept" } } });
      const removed = await powerful.patch(plain, abandon(null));
      expect(removed.metadata.annotations).toEqual({ "example.com/other": "kept" });
    });

    it("cannot remove the finalizer by any kind of write, and can remove another one", async () => {
      const plain = await powerful.create(object(kind));
      const path = await powerful.pathOf(plain);
      const replaced = { ...plain, metadata: { ...plain.metadata, finalizers: [] } };
      const jsonPatch = [{ op: "remove", path: "/metadata/finalizers" }];
      for (const write of [
        () => powerful.patch(plain, { metadata: { finalizers: null } }),
        () => powerful.patch(plain, { metadata: { finalizers: [theirs] } }),
        () => powerful.patch(plain, { metadata: { finalizers: [theirs, `${finalizer}x`] } }),
        () => powerful.request("PATCH", path, { body: jsonPatch, contentType: "application/json-patch+json" }),
        () => powerful.request("PUT", path, { body: replaced }),
      ])
        expect(await refusal(write())).toContain("metadata.finalizers");
      const other = await powerful.patch(plain, { metadata: { finalizers: [finalizer] } });
      expect(other.metadata.finalizers).toEqual([finalizer]);
    });

    it("cannot give up the finalizer with server-side apply, also as the only manager of it", async () => {
      const applied = object(kind);
      await powerful.apply(applied);
      const { finalizers: _given, ...metadata } = applied.metadata;
      expect(await refusal(powerful.apply({ ...applied, metadata }))).toContain("metadata.finalizers");
    });

    it("cannot remove the finalizer of an object that is being deleted", async () => {
      const deleted = await powerful.create(object(kind));
      await powerful.delete(deleted);
      expect(await refusal(powerful.patch(deleted, { metadata: { finalizers: null } }))).toContain(finalizer);
      expect((await admin.get(deleted)).metadata.finalizers).toContain(finalizer);
    });

    it("cannot write the status by any kind of write", async () => {
      const plain = await powerful.create({ ...object(kind), status });
      expect(plain["status"]).toEqual({ observedGeneration: -1 });
      const path = `${await powerful.pathOf(plain)}/status`;
      const { name } = plain.metadata;
      const apply = { apiVersion, kind, metadata: { name, namespace }, status };
      for (const write of [
        () => powerful.patch(plain, { status }, "status"),
        () => powerful.request("PUT", path, { body: { ...plain, status } }),
        () =>
          powerful.request("PATCH", `${path}?fieldManager=test&force=true`, {
            body: apply,
            contentType: "application/apply-patch+yaml",
          }),
        () => powerful.request("PATCH", path, { body: { metadata: { finalizers: null } }, contentType: mergePatch }),
      ])
        expect(await refusal(write())).toContain("status: only the operator writes it");
      expect((await admin.get(plain))["status"]).toEqual({ observedGeneration: -1 });
    });
  });

  describe.each([
    ["an administrator", () => admin],
    ["a service account that may do everything", () => clusterAdmin],
    ["somebody who may update Tenants", () => tenantAdmin],
  ])("%s", (_, client) => {
    it("can restore a status, abandon an object and remove the finalizer", async () => {
      const user = client();
      const restored = await user.create(object("Group"));
      expect((await user.patch(restored, { status }, "status"))["status"]).toMatchObject({ uid: status.uid });
      await user.patch(restored, { metadata: { annotations: { [abandonAnnotation]: "true" } } });
      const removed = await user.patch(restored, { metadata: { finalizers: [theirs] } });
      expect(removed.metadata.finalizers).toEqual([theirs]);
    });

    it("cannot change metadata through the status", async () => {
      const user = client();
      const plain = await user.create(object("Group"));
      const annotations = { [abandonAnnotation]: "true" };
      const written = await user.patch(plain, { metadata: { finalizers: null, annotations }, status }, "status");
      expect(written.metadata.finalizers).toEqual([theirs, finalizer]);
      expect(written.metadata.annotations).toBeUndefined();
    });

    it("cannot write the status of a Tenant", async () => {
      const tenant = await admin.create({ ...newTenant(), metadata: { name: `tenant-${(count += 1)}` } });
      const write = client().patch(tenant, { status: { conditions: [] } }, "status");
      expect(await refusal(write)).toContain("only the operator writes the status of a Tenant");
      const path = `${await admin.pathOf(tenant)}/status`;
      const replace = client().request("PUT", path, { body: { ...tenant, status: { conditions: [] } } });
      expect(await refusal(replace)).toContain("only the operator writes the status of a Tenant");
    });
  });

  describe("somebody who may patch Tenants and their status, and not update them", () => {
    it("can neither write the status of a Tenant nor remove its finalizer", async () => {
      const tenant = await admin.create({ ...newTenant(), metadata: { name: "patched", finalizers: [finalizer] } });
      expect(await refusal(powerful.patch(tenant, { status: {} }, "status"))).toContain("status of a Tenant");
      const remove = powerful.patch(tenant, { metadata: { finalizers: null } });
      expect(await refusal(remove)).toContain("metadata.finalizers");
      expect((await tenantAdmin.patch(tenant, { metadata: { finalizers: null } })).metadata.finalizers).toBeUndefined();
    });
  });

  describe("the operator", () => {
    it("can write every status, and add and remove the finalizer", async () => {
      const tenant = await admin.create({ ...newTenant(), metadata: { name: "served" } });
      for (const one of [await admin.create(object("Group", { finalizers: [theirs] })), tenant]) {
        await operator.patch(one, { status }, "status");
        const others = one.metadata.finalizers ?? [];
        await operator.patch(one, { metadata: { finalizers: [...others, finalizer] } });
        const removed = await operator.patch(one, { metadata: { finalizers: others } });
        expect(removed.metadata.finalizers ?? []).toEqual(others);
      }
    });

    it.each([
      ["spec", { spec: { description: "changed", namespaces: ["kube-system"] } }],
      ["an annotation", { metadata: { annotations: { [abandonAnnotation]: "true" } } }],
      ["a label", { metadata: { labels: { a: "b" } } }],
      ["another finalizer", { metadata: { finalizers: [finalizer] } }],
      ["the owners", { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "b" }] } }],
    ])("cannot change anything else: %s", async (_, patch) => {
      const metadata = { name: `tenant-${(count += 1)}`, finalizers: [theirs, finalizer] };
      const tenant = await admin.create({ ...newTenant(), metadata });
      for (const one of [await admin.create(object("Group")), tenant])
        expect(await refusal(operator.patch(one, patch))).toContain("the operator may change only");
    });
  });

  describe("the controllers of Kubernetes", () => {
    it("delete an object whose owner is gone, which keeps our finalizer until the operator removes it", async () => {
      const owner = await admin.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner", namespace } });
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
      const owned = await powerful.create(object("Group", { ownerReferences, finalizers: [finalizer] }));
      await admin.delete(owner);
      const deleted = await admin.waitFor(owned, (seen) => seen?.metadata.deletionTimestamp !== undefined);
      expect(deleted?.metadata.finalizers).toContain(finalizer);
      await operator.patch(owned, { metadata: { finalizers: null } });
      await admin.waitUntilGone(owned);
    });

    it.each(["Foreground", "Orphan"])(
      "complete a deletion with the propagation policy %s",
      async (propagationPolicy) => {
        const deleted = await powerful.create(object("Group", { finalizers: [finalizer] }));
        const path = `${await powerful.pathOf(deleted)}?propagationPolicy=${propagationPolicy}`;
        await powerful.request("DELETE", path);
        await admin.waitFor(deleted, (seen) => seen?.metadata.finalizers?.length === 1);
        await operator.patch(deleted, { metadata: { finalizers: null } });
        await admin.waitUntilGone(deleted);
      },
    );

    it("complete the deletion of a namespace", async () => {
      const doomed = { apiVersion: "v1", kind: "Namespace", metadata: { name: "doomed" } };
      await admin.apply(doomed);
      const objects = await Promise.all(
        kinds.map(({ name }) => powerful.create(object(name, { namespace: "doomed", finalizers: [finalizer] }))),
      );
      await admin.delete(doomed);
      for (const one of objects) {
        await admin.waitFor(one, (seen) => seen?.metadata.deletionTimestamp !== undefined);
        await operator.patch(one, { metadata: { finalizers: null } });
      }
      await admin.waitUntilGone(doomed);
    });

    // The test control plane runs them as an administrator; a cluster runs them with these service accounts.
    it.each(["generic-garbage-collector"])("may update Tenants, so that no policy stops them: %s", async (name) => {
      const review = await admin.create({
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        metadata: { name: "" },
        spec: {
          user: `system:serviceaccount:kube-system:${name}`,
          resourceAttributes: { verb: "update", group: apiGroup, resource: "tenants" },
        },
      });
      expect(review["status"].allowed).toBe(true);
    });
  });
});

function newTenant(): KubeObject {
  return { apiVersion, kind: "Tenant", metadata: { name: "" }, spec: { namespaces: [namespace] } };
}
