import { expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

it("redacts tokens", () => {
  const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";
  expect(plainText(`refused ${token} and Bearer abc.def`, 200)).toBe("refused [redacted] and [redacted]");
});

it("returns one line within the limit", () => {
  expect(plainText("a\nb\u0000c", 10)).toBe("a b c");
  expect(plainText("x".repeat(20), 10)).toBe(`${"x".repeat(9)}…`);
});
