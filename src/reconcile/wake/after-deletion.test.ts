import { expect, it } from "vitest";
import { groupKind } from "#src/kinds/group.ts";
import { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { externalGroup, groupResource, ready, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { wakeAfterDeletion } from "./after-deletion.ts";
import { wakeWorld } from "./wake-world.testing.ts";

const sessionThatSaw = (resource: ExternalResource) => {
  const view = new CollectionView<ExternalResource>(groupKind.collection);
  view.record(resource, 1);
  return { viewOf: () => view } as unknown as PlatformSession;
};
const objects = [
  groupResource({ metadata: { name: "deleting" }, status: { ...ready, uid } }),
  groupResource({ metadata: { name: "recorded" }, status: { ...ready, uid } }),
  groupResource({ metadata: { name: "named" }, spec: { uid } }),
  groupResource({ metadata: { name: "another" }, status: { ...ready, uid: `${uid}0` } }),
];

it("wakes the other objects that claim the resource", () => {
  const world = wakeWorld(objects);
  wakeAfterDeletion(
    world.sources,
    { session: world.session, kind: groupKind, uid, by: "team/deleting" },
    world.enqueue,
  );
  expect(world.woken.toSorted()).toEqual(["Group team/named", "Group team/recorded"]);
});

it("other sessions do not rely on what they have seen of it, and the one that deleted it knows better", () => {
  const world = wakeWorld([]);
  const [own, other] = [sessionThatSaw(externalGroup()), sessionThatSaw(externalGroup())];
  const sources = { ...world.sources, tenancy: { ...world.sources.tenancy, sessions: [own, other] } };
  wakeAfterDeletion(sources, { session: own, kind: groupKind, uid, by: undefined }, world.enqueue);
  expect([own, other].map((session) => session.viewOf(groupKind.collection).stateOf(uid).is)).toEqual([
    "present",
    "stale",
  ]);
});
