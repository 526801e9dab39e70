import { expect, it } from "vitest";
import { opensBreaker } from "./breaker.ts";

const limits = { objects: 3, share: 0.1 };

it.each([
  ["stays closed while nothing is missing", 10, 0, false],
  ["stays closed below the number of objects", 10, 2, false],
  ["opens at the number of objects", 10, 3, true],
  ["stays closed below the share", 100, 9, false],
  ["opens at the share", 100, 10, true],
])("the breaker %s", (_, managed, missing, opens) => {
  expect(opensBreaker(missing, managed, limits)).toBe(opens);
});
