import { describe, expect, it } from "vitest";
import type { Failure, Outcome } from "./client/api.ts";
import {
  equal,
  has,
  holds,
  matches,
  Mismatch,
  rejected,
  type ExpectedError,
  resourcesOf,
  succeeded,
} from "./expect.ts";

const failure: Failure = {
  code: 3,
  message: "Invalid argument: name: is wrong",
  details: [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "INVALID_ARGUMENT" },
    { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: "name", description: "d" }] },
  ],
};
const error: Outcome = { ok: false, failure };
const body = { uid: "u", name: "n", groups: [], nested: { a: 1, list: [1, 2] } };
const success = { ok: true, body } as unknown as Outcome;

describe("an expectation", () => {
  it("passes if it holds", () => {
    expect(succeeded(success)).toBe(body);
    expect(resourcesOf(success, "groups")).toEqual([]);
    expect(rejected(error, { code: 3, reason: "INVALID_ARGUMENT", message: /^Invalid/, field: "name" })).toBe(failure);
    equal({ a: [1] }, { a: [1] }, "equal");
    has(body, { name: "n", nested: { list: [1, 2] } }, "has");
    matches("abc", /b/, "matches");
    holds(true, "holds", "true", true);
  });

  it.each<[string, () => unknown]>([
    ["an error instead of success", () => succeeded(error)],
    ["success instead of an error", () => rejected(success, { code: 3 })],
    ["a missing list", () => resourcesOf(success, "identities")],
    ["another value", () => equal({ a: 1 }, { a: "1" }, "equal")],
    ["an additional field in equal", () => equal({ a: 1, b: 2 }, { a: 1 }, "equal")],
    ["a missing field", () => has(body, { nope: 1 }, "has")],
    ["a nested value that differs", () => has(body, { nested: { a: 2 } }, "has")],
    ["a longer list", () => has(body, { nested: { list: [1] } }, "has")],
    ["undefined", () => has(undefined, { a: 1 }, "has")],
    ["a text that does not match", () => matches("abc", /d/, "matches")],
    ["a value that is not text", () => matches(7, /7/, "matches")],
    ["a false condition", () => holds(false, "holds", "true", false)],
  ])("fails on %s", (_, check) => {
    expect(check).toThrow(Mismatch);
  });

  it.each<[string, ExpectedError]>([
    ["code", { code: 5 }],
    ["reason", { code: 3, reason: "NOT_FOUND" }],
    ["message", { code: 3, message: "Invalid argument" }],
    ["pattern of the message", { code: 3, message: /nope/ }],
    ["field", { code: 3, field: "description" }],
    ["violation", { code: 3, violation: "RESOURCE_NOT_EMPTY" }],
  ])("fails on an error with another %s", (_, expected) => {
    expect(() => rejected(error, expected)).toThrow(Mismatch);
  });
});
