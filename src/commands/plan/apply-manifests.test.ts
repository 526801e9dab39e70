import { expect, it } from "vitest";
import { apiVersion } from "#src/api/custom-resource.ts";
import { MemoryCluster } from "#src/plan/memory-cluster.ts";
import { VirtualClock } from "#src/time/virtual-clock.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { specSchemasOf } from "./read-object.ts";
import { applyManifests } from "./apply-manifests.ts";

const group = (spec: object) => ({
  apiVersion,
  kind: "Group",
  metadata: { name: "shop", namespace: "team", resourceVersion: "9007199254740993", uid: "1", generation: 4 },
  spec,
});

it("replaces the spec, and keeps uid and status", () => {
  const cluster = new MemoryCluster([{ ...group({ parentUid: "a" }), status: { uid: "b" } }], new VirtualClock(0));
  applyManifests(
    cluster,
    [{ object: group({ parentUid: "a", description: "new" }), where: "a.yaml" }],
    specSchemasOf(kinds),
  );
  expect(cluster.find("Group", "team/shop")).toMatchObject({
    metadata: { uid: "1", generation: 5, resourceVersion: "9007199254740994" },
    spec: { parentUid: "a", description: "new" },
    status: { uid: "b" },
  });
});

it("refuses a change of an immutable field, as the API server does", () => {
  const cluster = new MemoryCluster([group({ parentUid: "a" })], new VirtualClock(0));
  const where = "a.yaml: document 1 (line 1)";
  expect(() => applyManifests(cluster, [{ object: group({ parentUid: "b" }), where }], specSchemasOf(kinds))).toThrow(
    "a.yaml: document 1 (line 1): spec.parentUid: parentUid ",
  );
});

it("refuses a file that names the uid of another object, or an earlier version, as the API server does", () => {
  const cluster = new MemoryCluster([group({ parentUid: "a" })], new VirtualClock(0));
  const copied = group({ parentUid: "a" });
  const object = { ...copied, metadata: { ...copied.metadata, uid: "2", resourceVersion: "3" } };
  expect(() => applyManifests(cluster, [{ object, where: "a.yaml" }], specSchemasOf(kinds))).toThrow(
    /a.yaml: metadata.uid: is that of another object.*\n {2}a.yaml: metadata.resourceVersion: the object has changed since/,
  );
});

it("creates an object without the status, the uid and the version that its file has from another object", () => {
  const cluster = new MemoryCluster([], new VirtualClock(0));
  const copied = { ...group({ parentUid: "a" }), status: { uid: "b" } };
  applyManifests(cluster, [{ object: copied, where: "a.yaml" }], specSchemasOf(kinds));
  const created = cluster.find("Group", "team/shop");
  expect(created).toMatchObject({ metadata: { uid: "planned-1", resourceVersion: "2", generation: 1 } });
  expect(created).not.toHaveProperty("status");
});

it("removes the labels and annotations that an earlier apply has set, and the file does not name any more", () => {
  const before = group({ parentUid: "a" });
  const annotations = { "iam.muster.dev/paused": "true", "by-hand": "1", kept: "1" };
  const cluster = new MemoryCluster(
    [{ ...before, metadata: { ...before.metadata, annotations, labels: { team: "a" } } }],
    new VirtualClock(0),
  );
  const object = { ...before, metadata: { ...before.metadata, annotations: { kept: "2" } } };
  const applied = { labels: ["team"], annotations: ["iam.muster.dev/paused", "kept"] };
  applyManifests(cluster, [{ object, where: "" }], specSchemasOf(kinds), new Map([["Group team/shop", applied]]));
  expect(cluster.find("Group", "team/shop")?.metadata).toMatchObject({
    annotations: { "by-hand": "1", kept: "2" },
    labels: {},
  });
  expect(cluster.find("Group", "team/shop")?.metadata.annotations).not.toHaveProperty(["iam.muster.dev/paused"]);
});
