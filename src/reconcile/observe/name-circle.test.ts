import { expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { externalGroup, groupResource, parent, ready } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { nameCircleOf } from "./name-circle.ts";
import { kindNamed, world } from "./observed-world.testing.ts";

const uidOf = (index: number) => `${parent}/${String(index).repeat(16)}`;
const resource = (index: number, name: string) => externalGroup({ uid: uidOf(index), name });
/** An object that has the resource with this number, and wants the name. */
const object = (index: number, name: string, status: object = {}): Resource =>
  groupResource({
    metadata: { name: `object-${index}`, uid: `uid-of-${index}` },
    spec: { name },
    status: { ...ready, uid: uidOf(index), ...status },
  });

/** What the objects want, in turn: each has the resource with its number, which has the letter of the number as its name. */
function circle(wanted: readonly string[], more: readonly Resource[] = []) {
  const objects = [...wanted.map((name, index) => object(index, name)), ...more];
  const names = ["a", "b", "c", "d", "e", "f", "g"].slice(0, wanted.length + more.length);
  const listed = { Group: names.map((name, index) => resource(index, name)) };
  const { sources, contexts, cached } = world({ objects: objects.toReversed(), listed });
  const kind = kindNamed("Group");
  const view = contexts.team.session.viewOf(kind.collection);
  const [first] = view.named(parent, wanted[0] ?? "");
  return nameCircleOf(sources, view, kind, cached("Group", "team/object-0"), first);
}

it("objects that want each other's names form a circle", () => {
  expect(circle(["b", "a"])).toEqual(["team/object-1"]);
  expect(circle(["b", "c", "a"])).toEqual(["team/object-1", "team/object-2"]);
  expect(circle(["b", "c", "d", "e", "a"])).toHaveLength(4);
});

it("a longer circle is none, nor is what leads nowhere, or round without the object", () => {
  expect(circle(["b", "c", "d", "e", "f", "a"])).toEqual([]);
  expect(circle(["b", "z"])).toEqual([]);
  expect(circle(["b", "c", "b"])).toEqual([]);
  expect(circle(["z"])).toEqual([]);
  expect(circle(["b"])).toEqual([]);
});

it("an object that only observes is not in a circle", () => {
  expect(circle(["b"], [object(1, "a", { management: "Observed" })])).toEqual([]);
  expect(circle(["b"], [object(1, "a")])).toEqual(["team/object-1"]);
});
