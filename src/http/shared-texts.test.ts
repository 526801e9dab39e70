import { expect, it } from "vitest";
import { shareTexts } from "./shared-texts.ts";

it("changes nothing that can be compared", () => {
  const value = { text: "a", number: 1, none: null, list: ["a", { text: "b".repeat(1000) }], nested: { text: "a" } };
  expect(shareTexts(structuredClone(value))).toEqual(value);
});

it("leaves frozen parts as they are", () => {
  const frozen = Object.freeze({ text: "a" });
  const value = shareTexts({ frozen });
  expect(value.frozen).toBe(frozen);
});
