import { expect, it } from "vitest";
import { type AssessedRemovals, heldRemovals } from "./held-removals.ts";

const held = (parts: Partial<AssessedRemovals> = {}) =>
  heldRemovals({
    tenant: "team",
    due: ["b", "a"],
    others: 2,
    limits: { objects: 2, share: 0.5 },
    before: null,
    confirmation: undefined,
    ...parts,
  });
const id = held()?.id ?? "";

it("many removals at once are held, with an id of what they are", () => {
  expect(held()?.uids).toEqual(new Set(["a", "b"]));
  expect(held({ due: ["a", "b"] })?.id).toBe(id);
  expect(held({ due: ["a", "c"] })?.id).not.toBe(id);
  expect(held({ tenant: "others" })?.id).not.toBe(id);
});

it("few removals are not held", () => {
  expect(held({ due: ["a"] })).toBeNull();
  expect(held({ others: 3 })).toBeNull();
});

it("what is left of a confirmed removal needs no other confirmation", () => {
  const before = { id, uids: new Set(["a", "b", "c"]) };
  expect(held({ before, confirmation: id })).toBe(before);
  expect(held({ before, confirmation: "other" })).not.toBe(before);
  expect(held({ before, confirmation: id, due: ["a", "d"] })).not.toBe(before);
});
