import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { abandonAnnotation, pausedAnnotation } from "#src/api/annotations.ts";
import { finalizer } from "#src/api/custom-resource.ts";
import { helm } from "#test/deploy/helm.ts";
import { namespace } from "#test/node/labelled-pod.ts";
import { operatorNamespace, root } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { exampleManifests } from "#test/support/harness/examples.ts";
import { allMusterKinds, isUnready, kindRef, musterObject } from "#test/support/harness/muster-objects.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";
import { Flux, fluxNamespace } from "./flux.ts";
import { describeWithMusterOnNode, podsOf } from "./muster-on-node.ts";
import { report } from "./report.ts";
import { operatorDeployment, scale } from "./scale.ts";

/** The Kustomization of the docs, whose path is `./access`. */
async function documentedKustomization(): Promise<KubeObject> {
  const text = await readFile(new URL("../../docs/how-to/gitops.md", import.meta.url), "utf8");
  const [, yaml = ""] = /```yaml\n(apiVersion: kustomize[^]*?)```/.exec(text) ?? [];
  return parse(yaml) as KubeObject;
}

const annotated = (object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations },
});
const paused = (object: KubeObject) => annotated(object, { [pausedAnnotation]: "true" });
const group = (name: string, fields: object = {}) =>
  musterObject("Group", namespace, name, { parentRef: { name: "shop" }, ...fields });
const binding = (role: string, name = "reads") =>
  musterObject("RoleBinding", namespace, name, {
    groupRef: { name: "shop" },
    identityRef: { name: "builds" },
    roleRef: { name: role },
  });

describeWithMusterOnNode("Flux beside an installation", (muster) => {
  const kube = () => muster().controlPlane.admin;
  let flux: Flux;
  let access: KubeObject;

  beforeAll(async () => {
    flux = await Flux.start(muster().cluster, { progress: report });
    access = await documentedKustomization();
  });
  afterAll(() => flux?.stop());

  /** Commits, and waits until all of it is healthy. */
  const sync = async (...changes: Parameters<Flux["commit"]>) => flux.applied(access, await flux.commit(...changes));
  const kustomization = (name: string, spec: object): KubeObject => ({
    ...access,
    metadata: { name, namespace: fluxNamespace },
    spec: { ...access["spec"], path: `./${name}`, ...spec },
  });
  /** The shortest timeout that there is. */
  const impatient = { timeout: "30s", retryInterval: "5s" };
  const isAsDeclared = async () => expect(await differencesFromPlatform(muster())).toEqual([]);
  const uidsOnPlatform = async () => (await muster().admin.list("groups")).map(({ uid }) => uid);
  const withoutOperator = async (work: () => Promise<void>) => {
    const pods = await podsOf(muster(), "operator");
    await scale(kube(), operatorDeployment, 0);
    for (const pod of pods) await kube().waitUntilGone(pod);
    await work();
    await scale(kube(), operatorDeployment, 1);
  };

  it("applies the examples with the Kustomization of the docs, which is Ready when they are", async () => {
    const examples = await exampleManifests(root, "");
    await kube().apply(access);
    const applied = await sync({ "access/examples.yaml": examples });
    expect(applied["status"].inventory.entries).toHaveLength(examples.length);
    await isAsDeclared();
  });

  it("changes nothing when it is applied again", async () => {
    const versions = async () => {
      const lists = await Promise.all(allMusterKinds.map((kind) => kube().list(kindRef(kind), { namespace })));
      return lists.flat().map(({ kind, metadata }) => [kind, metadata.name, metadata.resourceVersion]);
    };
    const before = await versions();
    await kube().patch(access, { metadata: { annotations: { "reconcile.fluxcd.io/requestedAt": "again" } } });
    await kube().waitFor(access, (object) => object?.["status"].lastHandledReconcileAt === "again");
    expect(await versions()).toEqual(before);
  });

  it("fails after the timeout with what is not Ready", async () => {
    const waiting = kustomization("waiting", { ...impatient, healthCheckExprs: [] });
    const objects = [
      paused(group("waiting")),
      group("early", { parentRef: { name: "missing" } }),
      group("observed", { policy: { management: "Observe" } }),
      permissiveTenant("lost", { namespaces: ["elsewhere"], groups: ["1".repeat(40)], roles: [] }),
    ];
    const revision = await flux.commit({ "waiting/objects.yaml": objects });
    await kube().apply(waiting);
    const message = await flux.failed(waiting, revision);
    report(`not Ready: ${message}`);
    for (const { kind, metadata } of objects)
      expect(message).toMatch(new RegExp(`${kind}/(${namespace}/)?${metadata.name} status: 'InProgress'`));
    await kube().patch(group("waiting"), { metadata: { annotations: { [pausedAnnotation]: null } } });
    await kube().delete(waiting);
    for (const object of objects) await kube().waitUntilGone(object);
    await flux.commit({ "waiting/objects.yaml": [] });
    await isAsDeclared();
  });

  it("counts a paused object as current with the expressions of the docs, and prunes it when it goes on", async () => {
    const [path, object] = ["access/idle.yaml", group("idle")];
    await sync({ [path]: [paused(object)] });
    expect(isUnready("Paused")(await kube().get(object))).toBe(true);
    await sync({ [path]: [object] });
    await isAsDeclared();

    const { uid } = (await kube().get(object))["status"];
    await sync({ [path]: [paused(object)] });
    await sync({ [path]: [] });
    expect((await kube().get(object)).metadata.deletionTimestamp).toBeDefined();
    expect(await uidsOnPlatform()).toContain(uid);
    await kube().patch(object, { metadata: { annotations: { [pausedAnnotation]: null } } });
    await kube().waitUntilGone(object);
    await isAsDeclared();
  });

  it("prunes what is no longer in the repository, parents with their children", async () => {
    const family = [group("parent"), group("child", { parentRef: { name: "parent" } })];
    await sync({ "access/family.yaml": family });
    await sync({ "access/family.yaml": [] });
    for (const object of family) await kube().waitUntilGone(object);
    await isAsDeclared();
  });

  it("is Ready while a pruned object is protected, which stays until somebody says otherwise", async () => {
    const kept = group("kept", { policy: { deletion: "Protect" } });
    await sync({ "access/kept.yaml": [kept] });
    const { uid } = (await kube().get(kept))["status"];
    const { inventory } = (await sync({ "access/kept.yaml": [] }))["status"];
    expect(JSON.stringify(inventory)).not.toContain("kept");
    await kube().waitFor(kept, isUnready("Protected"));
    expect(await uidsOnPlatform()).toContain(uid);

    await kube().patch(kept, { spec: { policy: { deletion: "Delete" } } });
    await kube().waitUntilGone(kept);
    await isAsDeclared();
  });

  it("fails with the field that is immutable, and replaces the object where it is told to or has another name", async () => {
    const path = "access/binding.yaml";
    await sync({ [path]: [binding("viewer")] });
    const { uid } = (await kube().get(binding("viewer"))).metadata;
    const changed = await flux.commit({ [path]: [binding("registry.pull"), group("beside")] });
    const message = await flux.failed(access, changed);
    report(`an immutable field: ${message}`);
    expect(message).toMatch(/RoleBinding\/shop\/reads .*roleRef.*immutable/s);
    expect((await kube().get(binding("viewer"))).metadata.uid).toBe(uid);
    expect(await kube().find(group("beside"))).toBeUndefined();

    await sync({ [path]: [annotated(binding("registry.pull"), { "kustomize.toolkit.fluxcd.io/force": "enabled" })] });
    expect((await kube().get(binding("registry.pull"))).metadata.uid).not.toBe(uid);
    await isAsDeclared();

    await sync({ [path]: [binding("viewer", "views")] });
    await kube().waitUntilGone(binding("registry.pull"));
    await isAsDeclared();
    await sync({ [path]: [] });
    await kube().waitUntilGone(binding("viewer", "views"));
  });

  it("fails at once where the Tenant denies a change, with the object that is not healthy", async () => {
    const path = "access/binding.yaml";
    const denied = await flux.commit({ [path]: [binding("owner")] });
    const message = await flux.failed(access, denied);
    report(`a Tenant denies: ${message}`);
    expect(message).toContain("failed early due to stalled resources: [RoleBinding/shop/reads status: 'Failed']");
    expect(isUnready("TenantDenied")(await kube().get(binding("owner")))).toBe(true);
    await sync({ [path]: [] });
    await kube().waitUntilGone(binding("owner"));
    await isAsDeclared();
  });

  it("fails with the message of the admission policy where a team's account may not do something", async () => {
    const team = kustomization("team", { serviceAccountName: "team" });
    const { metadata } = team;
    await kube().apply({ apiVersion: "v1", kind: "ServiceAccount", metadata });
    await kube().apply({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: metadata.name, namespace },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    });
    const owned = group("of-team");
    const refused = await flux.commit({
      "team/group.yaml": [annotated(owned, { [abandonAnnotation]: "true" })],
    });
    await kube().apply(team);
    const message = await flux.failed(team, refused);
    report(`an admission policy denies: ${message}`);
    expect(message).toMatch(/iam\.muster\.dev\/abandon.*leaves the resource/s);
    expect(await kube().find(owned)).toBeUndefined();
    await flux.applied(team, await flux.commit({ "team/group.yaml": [owned] }));
    await isAsDeclared();

    await kube().delete(team);
    await kube().waitUntilGone(owned);
    await isAsDeclared();
  });

  it("neither applies nor deletes anything while a Kustomization is suspended", async () => {
    const late = group("late");
    const witness = kustomization("witness", {});
    await kube().patch(access, { spec: { suspend: true } });
    const revision = await flux.commit({ "access/late.yaml": [late], "witness/group.yaml": [group("witness")] });
    await kube().apply(witness);
    // Flux has seen the revision.
    await flux.applied(witness, revision);
    expect(await kube().find(late)).toBeUndefined();
    await kube().patch(access, { spec: { suspend: false } });
    await flux.applied(access, revision);

    await kube().patch(witness, { spec: { suspend: true } });
    await kube().delete(witness);
    await kube().waitUntilGone(witness);
    await isAsDeclared();
    await kube().delete(group("witness"));
    await sync({ "access/late.yaml": [], "witness/group.yaml": [] });
    for (const object of [group("witness"), late]) await kube().waitUntilGone(object);
  });

  /** @param finalizers what a new object has before any operator has seen it */
  const syncsWithoutOperator = async (finalizers: readonly string[]) => {
    const [changed, pruned, added, brief] = [group("changed"), group("pruned"), group("added"), group("brief")];
    await sync({ "access/changed.yaml": [changed], "access/pruned.yaml": [pruned] });
    await kube().apply(kustomization("access", impatient));
    let last = "";
    await withoutOperator(async () => {
      const revision = await flux.commit({
        "access/changed.yaml": [group("changed", { description: "Changed" })],
        "access/pruned.yaml": [],
        "access/added.yaml": [added],
        "access/brief.yaml": [brief],
      });
      const message = await flux.failed(access, revision);
      report(`without the operator: ${message}`);
      for (const name of ["changed", "added", "brief"])
        expect(message).toContain(`Group/shop/${name} status: 'InProgress'`);
      expect(message).not.toContain("pruned");
      expect((await kube().get(added)).metadata.finalizers ?? []).toEqual(finalizers);
      expect((await kube().get(pruned)).metadata.deletionTimestamp).toBeDefined();

      last = await flux.commit({ "access/brief.yaml": [] });
      await kube().waitFor(brief, (object) => object === undefined || object.metadata.deletionTimestamp !== undefined, {
        timeoutMs: 60_000,
      });
      expect((await kube().find(brief))?.metadata.finalizers ?? []).toEqual(finalizers);
    });
    await flux.applied(access, last);
    for (const object of [pruned, brief]) await kube().waitUntilGone(object);
    await isAsDeclared();

    await kube().apply(access);
    await sync({ "access/changed.yaml": [], "access/added.yaml": [] });
    for (const object of [changed, added]) await kube().waitUntilGone(object);
    await isAsDeclared();
  };

  it("waits for an operator that is away, with the policy that adds the finalizer", { timeout: 240_000 }, () =>
    syncsWithoutOperator([finalizer]),
  );

  it("waits for an operator that is away, without the policy", { timeout: 240_000 }, async () => {
    const flags = ["--namespace", operatorNamespace, "--reuse-values", "--wait", ...muster().cluster.helmFlags];
    await helm(["upgrade", "muster", "muster-try-out", ...flags], { muster: { finalizerPolicy: { enabled: false } } });
    await syncsWithoutOperator([]);
  });

  it("removes everything with the Kustomization, which waits for that where it is told to", async () => {
    await kube().apply(kustomization("access", { deletionPolicy: "WaitForTermination" }));
    const objects = await Promise.all(allMusterKinds.map((kind) => kube().list(kindRef(kind), { namespace })));
    expect(objects.flat()).not.toEqual([]);
    await withoutOperator(async () => {
      await kube().delete(access);
      for (const object of objects.flat())
        await kube().waitFor(object, (seen) => seen?.metadata.deletionTimestamp !== undefined);
      expect(await kube().find(access)).toBeDefined();
    });
    await kube().waitUntilGone(access, { timeoutMs: 60_000 });
    for (const object of objects.flat()) expect(await kube().find(object)).toBeUndefined();
    await isAsDeclared();
  });
});
