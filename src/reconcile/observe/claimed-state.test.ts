import { expect, it } from "vitest";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { CollectionView } from "#src/platform-client/collection-view.ts";
import { singletonUids } from "#src/platform-client/uid.ts";
import { groupResource, ready, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { claimedState } from "./claimed-state.ts";
import type { ExternalResource } from "./observed.ts";

const owner = ownerHash("owner");
const hash = objectHash("AccountAssociation", "team", "accounts");
const otherHash = objectHash("AccountAssociation", "team", "other");
const [created, later] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];

function stateOf(external: Omit<ExternalResource, "uid">, recorded = created): string {
  const resource = groupResource({ status: { ...ready, uid, createTime: recorded } });
  const view = new CollectionView<ExternalResource>({
    uids: singletonUids,
    naturalKeyOf: () => undefined,
    nameOf: () => undefined,
  });
  view.record({ uid, ...external }, 1);
  return claimedState(
    [owner],
    view,
    { metadata: resource.metadata, resource, invalid: undefined, objectHash: hash },
    uid,
  ).is;
}

it.each([
  ["present if it was created when the status says", { createTime: created }, "present"],
  ["gone if another one has its uid", { createTime: later }, "gone"],
  ["gone if the platform does not say when it was created", { createTime: "" }, "gone"],
  ["gone if the other one carries the marker of another object", other(markerOf(owner, otherHash)), "gone"],
  ["gone if the other one carries a marker of another owner", other(markerOf(ownerHash("x"), hash)), "gone"],
  ["gone if the other one was created in the same instant", other(markerOf(owner, otherHash), created), "gone"],
  ["present if the other one carries the object's marker", other(markerOf(owner, hash)), "present"],
])("the recorded singleton is %s", (_, external, expected) => {
  expect(stateOf(external)).toBe(expected);
});

function other(marker: string, createTime = later): Omit<ExternalResource, "uid"> {
  return { createTime, description: withMarker("", marker) };
}
