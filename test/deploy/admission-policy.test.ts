import { beforeAll, expect, it } from "vitest";
import { apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { type KindName, kinds } from "#src/kinds/kinds.ts";
import { cases } from "#test/manifests/cases.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { applyAdmissionPolicy } from "./admission-policy.ts";
import { applyDefinitions } from "./definitions.ts";
import { kustomize } from "./kustomize.ts";

const object = (kind: KindName, name: string, namespace: string, metadata: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace, ...metadata },
  spec: cases[kind].valid[0]?.spec,
});

describeWithControlPlane("deploy/kustomize/components/admission-policy", (controlPlane) => {
  const watched = "team-a";

  beforeAll(async () => {
    const { admin } = controlPlane();
    await applyDefinitions(admin);
    for (const name of [watched, "team-b"])
      await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await applyAdmissionPolicy(admin, [watched]);
  });

  it.each(kinds)("adds the finalizer to a new $name, and later applies keep it", async ({ name: kind }) => {
    const { admin } = controlPlane();
    const applied = await admin.apply(object(kind, "applied", watched));
    expect(applied.metadata.finalizers).toEqual([finalizer]);
    const again = await admin.apply(object(kind, "applied", watched, { labels: { changed: "yes" } }));
    expect(again.metadata).toMatchObject({ finalizers: [finalizer], labels: { changed: "yes" } });
    const forced = await admin.apply(object(kind, "applied", watched), { fieldManager: "another" });
    expect(forced.metadata.finalizers).toEqual([finalizer]);
  });

  it("adds the finalizer once, after existing finalizers", async () => {
    const { admin } = controlPlane();
    const others = object("Group", "others", watched, { finalizers: ["example.com/theirs"] });
    expect((await admin.create(others)).metadata.finalizers).toEqual(["example.com/theirs", finalizer]);
    const ours = object("Group", "ours", watched, { finalizers: [finalizer] });
    expect((await admin.create(ours)).metadata.finalizers).toEqual([finalizer]);
  });

  it("does not add the finalizer again after the operator removed it", async () => {
    const { admin } = controlPlane();
    const released = object("Group", "released", watched);
    await admin.create(released);
    await admin.delete(released);
    expect((await admin.get(released)).metadata.deletionTimestamp).toBeDefined();
    await admin.patch(released, { metadata: { finalizers: [] } });
    expect(await admin.find(released)).toBeUndefined();
  });

  it("is bound by the overlay to exactly the namespaces that the operator watches", async () => {
    const objects = await kustomize("overlays/try-out-with-admission-policy");
    const binding = objects.find(({ kind }) => kind === "MutatingAdmissionPolicyBinding");
    const settings = objects.find(({ metadata }) => metadata.name.startsWith("muster-operator-"));
    expect(binding?.["spec"].matchResources.namespaceSelector.matchExpressions).toEqual([
      { key: "kubernetes.io/metadata.name", operator: "In", values: [settings?.["data"].MUSTER_WATCH_NAMESPACE] },
    ]);
  });

  it("does not apply in a namespace that is not watched, where nothing would remove the finalizer", async () => {
    const elsewhere = await controlPlane().admin.apply(object("Group", "elsewhere", "team-b"));
    expect(elsewhere.metadata.finalizers).toBeUndefined();
  });
});
