import { expect, it } from "vitest";
import { SessionReach } from "./session-reach.ts";

const root = "a".repeat(40);
const lent = `${"b".repeat(40)}/1111111111111111`;

it("includes what is below the roots", () => {
  const reach = new SessionReach([root]);
  expect(reach.rootAbove(`${root}/1111111111111111`)).toBe(root);
  expect(reach.rootAbove(lent)).toBeUndefined();
});

it("is extended to a group outside of the roots, until the group is not used any longer", () => {
  const reach = new SessionReach([root]);
  reach.extendTo(lent);
  expect(reach.rootAbove(`${lent}/2222222222222222`)).toBe(lent);
  reach.retain((group) => group === lent);
  expect(reach.groups).toEqual([root, lent]);
  reach.retain(() => false);
  expect(reach.groups).toEqual([root]);
});

it("is not extended to a group that it includes already", () => {
  const reach = new SessionReach([root]);
  for (const group of [root, `${root}/1111111111111111`, lent, `${lent}/2222222222222222`]) reach.extendTo(group);
  expect(reach.groups).toEqual([root, lent]);
});
