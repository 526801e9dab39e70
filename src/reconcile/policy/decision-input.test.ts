import { expect, it } from "vitest";
import { singletonUids } from "#src/platform-client/uid.ts";
import { decisionInput, otherRoot, parent, root, uid } from "./observed-fixture.testing.ts";
import { groupOf, rootAbove } from "./decision-input.ts";

const input = decisionInput();

it.each([
  ["a resource below the root group", uid, root],
  ["the root group itself", root, undefined],
  ["a resource below another root", `${otherRoot}/1111111111111111`, undefined],
  ["a uid that starts with that of the root", `${root}bc`, undefined],
])("the root above %s", (_, of, expected) => {
  expect(rootAbove(input, of)).toBe(expected);
});

it.each([
  ["the uid of the kind's resources names it", uid, parent],
  ["the resource has none", root, root],
])("the group of a resource: %s", (_, of, expected) => {
  expect(groupOf(input, of)).toBe(expected);
});

it("the group depends on the uid scheme of the kind", () => {
  const { kind } = input;
  const singleton = { ...input, kind: { ...kind, collection: { ...kind.collection, uids: singletonUids } } };
  expect([groupOf(singleton, uid), rootAbove(singleton, root)]).toEqual([uid, root]);
});
