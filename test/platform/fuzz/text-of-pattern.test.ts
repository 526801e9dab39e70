import { expect, it } from "vitest";
import { Random } from "./random.ts";
import { textOfPattern } from "./text-of-pattern.ts";

it.each([
  "^[a-z0-9 ._-]{1,}$",
  "^[\\S ]{0,512}$",
  "^[0-9a-f]{40}(\\/[0-9a-f]{16})*$",
  "^[^\\u0000]+$",
  "^https:\\/\\/[^\\s\\p{Cc}]+$",
  "^([^\\s@]+@[^\\s@]+)?$",
  "^-?\\d{1,12}(\\.\\d{1,9})?s$",
  "^(uid|name)(?: (asc|desc))?$",
])("draws different texts that match %s", (pattern) => {
  const texts = Array.from({ length: 200 }, (_, seed) => textOfPattern(pattern, new Random(seed)));
  for (const text of texts) expect(text).toMatch(new RegExp(pattern, "u"));
  expect(new Set(texts).size).toBeGreaterThan(3);
});

it("rejects an unsupported pattern by name", () => {
  expect(() => textOfPattern("^(?=b)a$", new Random(1))).toThrow("unsupported pattern ^(?=b)a$");
});
