import { beforeAll, expect, it } from "vitest";
import { apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { type KindName, kinds } from "#src/kinds/kinds.ts";
import { cases } from "#test/manifests/cases.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { applyAdmissionPolicy } from "./admission-policy.ts";
import { applyDefinitions } from "./definitions.ts";

const object = (kind: KindName, name: string, namespace: string, metadata: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace, ...metadata },
  spec: cases[kind].valid[0]?.spec,
});

describeWithControlPlane("deploy/kustomize/components/admission-policy", (controlPlane) => {
  const namespace = "team-a";

  beforeAll(async () => {
    const { admin } = controlPlane();
    await applyDefinitions(admin);
    await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await applyAdmissionPolicy(admin);
  });

  it.each(kinds)("adds the finalizer to a new $name, and later applies keep it", async ({ name: kind }) => {
    const { admin } = controlPlane();
    const applied = await admin.apply(object(kind, "applied", namespace));
    expect(applied.metadata.finalizers).toEqual([finalizer]);
    const again = await admin.apply(object(kind, "applied", namespace, { labels: { changed: "yes" } }));
    expect(again.metadata).toMatchObject({ finalizers: [finalizer], labels: { changed: "yes" } });
    const forced = await admin.apply(object(kind, "applied", namespace), { fieldManager: "another" });
    expect(forced.metadata.finalizers).toEqual([finalizer]);
  });

  it("adds the finalizer once, after existing finalizers", async () => {
    const { admin } = controlPlane();
    const others = object("Group", "others", namespace, { finalizers: ["example.com/theirs"] });
    expect((await admin.create(others)).metadata.finalizers).toEqual(["example.com/theirs", finalizer]);
    const ours = object("Group", "ours", namespace, { finalizers: [finalizer] });
    expect((await admin.create(ours)).metadata.finalizers).toEqual([finalizer]);
  });

  it("does not add the finalizer again after the operator removed it", async () => {
    const { admin } = controlPlane();
    const released = object("Group", "released", namespace);
    await admin.create(released);
    await admin.delete(released);
    expect((await admin.get(released)).metadata.deletionTimestamp).toBeDefined();
    await admin.patch(released, { metadata: { finalizers: [] } });
    expect(await admin.find(released)).toBeUndefined();
  });

  it("applies in every namespace, also in a new one", async () => {
    const { admin } = controlPlane();
    await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team-b" } });
    const elsewhere = await admin.apply(object("Group", "elsewhere", "team-b"));
    expect(elsewhere.metadata.finalizers).toEqual([finalizer]);
  });
});
