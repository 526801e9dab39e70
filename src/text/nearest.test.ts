import { expect, it } from "vitest";
import { didYouMean, nearest } from "./nearest.ts";

const candidates = ["operator", "bootstrap", "platform", "platform audit", "platform backup", "help"];

it.each([
  ["oprator", "operator"],
  ["opreator", "operator"],
  ["Platform", "platform"],
  ["platform adit", "platform audit"],
  ["hlep", "help"],
  ["boot", "bootstrap"],
])("finds what %j means", (text, expected) => {
  expect(nearest(text, candidates)).toBe(expected);
});

it.each(["", "x", "kubectl", "operatoroperator", "o".repeat(100_000)])("finds nothing near %j", (text) => {
  expect(nearest(text, candidates)).toBeUndefined();
});

it("names nothing if several candidates start with the text", () => {
  expect(nearest("pla", ["plan", "platform"])).toBe("plan");
  expect(nearest("tenant", ["tenant-namespace", "tenant-role"])).toBeUndefined();
});

it("is a part of a message to append", () => {
  expect(didYouMean("infoo", ["info", "warn"])).toBe('; did you mean "info"?');
  expect(didYouMean("quiet", ["info", "warn"])).toBe("");
});
