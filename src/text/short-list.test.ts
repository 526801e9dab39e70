import { expect, it } from "vitest";
import { shortList } from "./short-list.ts";

it.each([
  [[], 2, ""],
  [["a"], 2, "a"],
  [["a", "b"], 2, "a, b"],
  [["a", "b", "c"], 2, "a, b and 1 more"],
  [["a", "b", "c", "d", "e", "f", "g"], undefined, "a, b, c, d, e and 2 more"],
])("shows %j, of which it shows %s, as %j", (texts, shown, expected) => {
  expect(shortList(texts, shown)).toBe(expected);
});
