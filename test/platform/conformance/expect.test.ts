import { describe, expect, it } from "vitest";
import type { Failure, Outcome } from "./client/api.ts";
import { equal, has, holds, matches, Mismatch, refused, type Refusal, rowsOf, succeeded } from "./expect.ts";

const failure: Failure = {
  code: 3,
  message: "Invalid argument: name: is wrong",
  details: [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "INVALID_ARGUMENT" },
    { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: "name", description: "d" }] },
  ],
};
const refusedOne: Outcome = { ok: false, failure };
const body = { uid: "u", name: "n", groups: [], nested: { a: 1, list: [1, 2] } };
const succeededOne = { ok: true, body } as unknown as Outcome;

describe("what a case expects", () => {
  it("holds", () => {
    expect(succeeded(succeededOne)).toBe(body);
    expect(rowsOf(succeededOne, "groups")).toEqual([]);
    expect(refused(refusedOne, { code: 3, reason: "INVALID_ARGUMENT", message: /^Invalid/, field: "name" })).toBe(
      failure,
    );
    equal({ a: [1] }, { a: [1] }, "equal");
    has(body, { name: "n", nested: { list: [1, 2] } }, "has");
    matches("abc", /b/, "matches");
    holds(true, "holds", "true", true);
  });

  it.each<[string, () => unknown]>([
    ["a refusal in the place of success", () => succeeded(refusedOne)],
    ["success in the place of a refusal", () => refused(succeededOne, { code: 3 })],
    ["a list that is none", () => rowsOf(succeededOne, "identities")],
    ["another value", () => equal({ a: 1 }, { a: "1" }, "equal")],
    ["a field more, where all are told", () => equal({ a: 1, b: 2 }, { a: 1 }, "equal")],
    ["a field that is missing", () => has(body, { nope: 1 }, "has")],
    ["a nested value that differs", () => has(body, { nested: { a: 2 } }, "has")],
    ["a list that is longer", () => has(body, { nested: { list: [1] } }, "has")],
    ["nothing at all", () => has(undefined, { a: 1 }, "has")],
    ["a text that does not match", () => matches("abc", /d/, "matches")],
    ["no text", () => matches(7, /7/, "matches")],
    ["what is false", () => holds(false, "holds", "true", false)],
  ])("does not hold: %s", (_, look) => {
    expect(look).toThrow(Mismatch);
  });

  it.each<[string, Refusal]>([
    ["code", { code: 5 }],
    ["reason", { code: 3, reason: "NOT_FOUND" }],
    ["message", { code: 3, message: "Invalid argument" }],
    ["pattern of the message", { code: 3, message: /nope/ }],
    ["field", { code: 3, field: "description" }],
    ["violation", { code: 3, violation: "RESOURCE_NOT_EMPTY" }],
  ])("does not hold: a refusal with another %s", (_, refusal) => {
    expect(() => refused(refusedOne, refusal)).toThrow(Mismatch);
  });
});
