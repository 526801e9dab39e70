import { expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { groupKind } from "#src/kinds/group.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { groupResource, notReady, ready, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { wakeConflicts, wakeConflictsOverName } from "./conflicts.ts";
import { wakeWorld } from "./wake-world.testing.ts";

const object = (name: string, more: { status?: Resource["status"]; wants?: string; year?: number } = {}) =>
  groupResource({
    metadata: { name, uid: name, creationTimestamp: `${more.year ?? 2026}-01-01T00:00:00Z` },
    spec: { name: more.wants ?? "shop" },
    ...(more.status === undefined ? {} : { status: more.status }),
  });
const lost = (name: string, more: Parameters<typeof object>[1] = {}) =>
  object(name, { status: notReady("Conflict"), ...more });

function start(changed: Resource) {
  const waits = object("waits", { status: notReady("ReferenceNotFound") });
  const others = [lost("lost"), lost("lost-older", { year: 2024 }), lost("lost-else", { wants: "else" }), waits];
  const { sources, woken, enqueue } = wakeWorld([changed, ...others]);
  const cached = sources.stores.get("Group").get(`team/${changed.metadata.name}`);
  if (cached === undefined) throw new Error("no object");
  return { sources: sources as unknown as Sources, cached, woken, enqueue };
}

it.each<[string, Resource, readonly string[]]>([
  ["all that lost a name to what had it", object("had", { status: { ...ready, uid } }), ["lost", "lost-older"]],
  ["those that lost it and come after what wanted it", object("wanted", { year: 2025 }), ["lost"]],
  ["none that lost something else", object("else", { wants: "other" }), []],
])("a change wakes %s", (_, changed, expected) => {
  const { sources, cached, woken, enqueue } = start(changed);
  wakeConflicts(sources, groupKind, [cached], enqueue);
  expect(woken).toEqual(expected.map((name) => `Group team/${name}`));
});

it("a name that a resource has no longer wakes all that lost it", () => {
  const { sources, woken, enqueue } = start(object("other", { wants: "other" }));
  wakeConflictsOverName(sources, groupKind, "shop", enqueue);
  expect(woken).toEqual(["Group team/lost", "Group team/lost-older"]);
});
