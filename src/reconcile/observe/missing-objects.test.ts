import { expect, it } from "vitest";
import { ownerHash } from "#src/kinds/marker.ts";
import { roleBindingKind } from "#src/kinds/role-binding.ts";
import { keyOf } from "#src/kube/object.ts";
import { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { bindingResource, parent, ready, root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { wakeWorld } from "#src/reconcile/wake/wake-world.testing.ts";
import { missingObjects } from "./missing-objects.ts";

const identity = `${parent}/4444444444444444`;
const role = "c".repeat(40);
const bindingUid = (name: string) => `${parent}/000000000000000${name}`;
const binding = (uid: string) =>
  ({ uid, identity: { uid: identity, name: "" }, role: { uid: role, name: "" } }) as ExternalResource;
const object = (name: string) =>
  bindingResource({
    metadata: { name },
    spec: { identityUid: identity, roleUid: role },
    status: { ...ready, uid: bindingUid(name) },
  });

/** The objects `1`, `2` and `3`, and one that records nothing. @param listed those whose role bindings a list shows */
function missing(scope: Parameters<typeof missingObjects>[3], listed: readonly string[], before: (view: View) => void) {
  const view: View = new CollectionView(roleBindingKind.collection);
  before(view);
  const shown = listed.map((name) => binding(bindingUid(name)));
  view.recordSnapshot(scope, shown, 10, true);
  const session: Partial<PlatformSession> = { viewOf: () => view };
  const objects = [...["1", "2", "3"].map(object), bindingResource({ metadata: { name: "new" } })];
  const world = wakeWorld(objects, session);
  const sources = { ...world.sources, owners: [ownerHash("owner")] as const };
  return missingObjects(sources, world.session, roleBindingKind, scope).map(keyOf).toSorted();
}

type View = CollectionView<ExternalResource>;
const everything = { descendantsOf: root };

it("finds the objects whose recorded resources a list lacks, although our own DELETE had removed one before", () => {
  expect(missing(everything, ["3"], (view) => view.recordGone(bindingUid("1"), 5))).toEqual(["team/1", "team/2"]);
});

it("finds none if the list shows all that objects record, or what was read since", () => {
  expect(missing(everything, ["1", "2", "3"], () => undefined)).toEqual([]);
  expect(missing(everything, ["1", "2"], (view) => view.record(binding(bindingUid("3")), 11))).toEqual([]);
});

it("finds the objects of the group that was listed only", () => {
  expect(missing({ childrenOf: root }, [], () => undefined)).toEqual([]);
  expect(missing({ childrenOf: parent }, ["1", "2"], () => undefined)).toEqual(["team/3"]);
});
