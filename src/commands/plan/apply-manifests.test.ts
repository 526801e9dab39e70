import { expect, it } from "vitest";
import { apiVersion } from "#src/api/custom-resource.ts";
import { MemoryCluster } from "#src/plan/memory-cluster.ts";
import { VirtualClock } from "#src/time/virtual-clock.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { specSchemasOf } from "./read-object.ts";
import { applyManifests } from "./apply-manifests.ts";
import type { Manifest } from "./read-manifests.ts";

const uidA = "a".repeat(40);
const uidB = "b".repeat(40);
const group = (spec: object) => ({
  apiVersion,
  kind: "Group",
  metadata: { name: "shop", namespace: "team", resourceVersion: "9007199254740993", uid: "1", generation: 4 },
  spec,
});
const manifest = (object: ReturnType<typeof group>, where = "a.yaml"): Manifest => ({
  object,
  spec: object.spec,
  where,
});

it("replaces the spec, and keeps uid and status", () => {
  const cluster = new MemoryCluster([{ ...group({ parentUid: uidA }), status: { uid: "b" } }], new VirtualClock(0));
  applyManifests(cluster, [manifest(group({ parentUid: uidA, description: "new" }))], specSchemasOf(kinds));
  expect(cluster.find("Group", "team/shop")).toMatchObject({
    metadata: { uid: "1", generation: 5, resourceVersion: "9007199254740994" },
    spec: { parentUid: uidA, description: "new" },
    status: { uid: "b" },
  });
});

it("refuses a change of an immutable field, as the API server does", () => {
  const cluster = new MemoryCluster([group({ parentUid: uidA })], new VirtualClock(0));
  const where = "a.yaml: document 1 (line 1)";
  expect(() => applyManifests(cluster, [manifest(group({ parentUid: uidB }), where)], specSchemasOf(kinds))).toThrow(
    "a.yaml: document 1 (line 1): spec.parentUid: parentUid ",
  );
});

it("refuses a new object in a namespace that is being deleted, as the API server does", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const team = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", uid: "2", deletionTimestamp } };
  const apply = (cluster: MemoryCluster) =>
    applyManifests(cluster, [manifest(group({ parentUid: uidA }))], specSchemasOf(kinds));
  expect(() => apply(new MemoryCluster([team], new VirtualClock(0)))).toThrow(
    "a.yaml: metadata.namespace: the namespace team is being deleted: nothing can be created in it",
  );
  expect(() => apply(new MemoryCluster([team, group({ parentUid: uidA })], new VirtualClock(0)))).not.toThrow();
});

it("refuses a file that names the uid of another object, or an earlier version, as the API server does", () => {
  const cluster = new MemoryCluster([group({ parentUid: uidA })], new VirtualClock(0));
  const copied = group({ parentUid: uidA });
  const object = { ...copied, metadata: { ...copied.metadata, uid: "2", resourceVersion: "3" } };
  expect(() => applyManifests(cluster, [manifest(object)], specSchemasOf(kinds))).toThrow(
    /a.yaml: metadata.uid: is that of another object.*\n {2}a.yaml: metadata.resourceVersion: the object has changed since/,
  );
});

it("creates an object without the status, the uid and the version that its file has from another object", () => {
  const cluster = new MemoryCluster([], new VirtualClock(0));
  const copied = { ...group({ parentUid: uidA }), status: { uid: "b" } };
  applyManifests(cluster, [manifest(copied)], specSchemasOf(kinds));
  const created = cluster.find("Group", "team/shop");
  expect(created).toMatchObject({ metadata: { uid: "planned-1", resourceVersion: "2", generation: 1 } });
  expect(created).not.toHaveProperty("status");
});

it("refuses what the file and an edit say together, as the API server does", () => {
  const cluster = new MemoryCluster([group({ parentUid: uidA })], new VirtualClock(0));
  expect(() =>
    applyManifests(cluster, [manifest(group({ parentRef: { name: "all" } }))], specSchemasOf(kinds)),
  ).toThrow(/a.yaml: spec: .*parentRef/);
});

it("gives what an earlier apply has set, and the file does not name any more, its default value", () => {
  const policy = { drift: "Report", deletion: "Orphan" };
  const cluster = new MemoryCluster([group({ parentUid: uidA, policy })], new VirtualClock(0));
  const applied = {
    onClient: new Map([["spec", new Map([["policy", new Map([["drift", new Map()]])]])]]),
    onServer: new Map(),
  };
  const object = group({ parentUid: uidA, policy: {} });
  applyManifests(cluster, [manifest(object)], specSchemasOf(kinds), new Map([["Group team/shop", applied]]));
  expect(cluster.find("Group", "team/shop")).toMatchObject({
    metadata: { generation: 5 },
    spec: { policy: { drift: "Correct", deletion: "Orphan" } },
  });
});
