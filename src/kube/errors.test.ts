import { expect, test } from "vitest";
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isThrottled,
  isUnanswered,
  KubeError,
} from "./errors.ts";

const predicates = {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isThrottled,
  isUnanswered,
};

test.each([
  [404, "NotFound", "isNotFound"],
  [409, "AlreadyExists", "isAlreadyExists"],
  [409, "Conflict", "isConflict"],
  [410, "Expired", "isGone"],
  [403, "Forbidden", "isForbidden"],
  [422, "Invalid", "isInvalid"],
  [429, "TooManyRequests", "isThrottled"],
  [503, "ServiceUnavailable", "isThrottled"],
  [0, "NoAnswer", "isUnanswered"],
  [500, "InternalError", undefined],
])("%d %s is told by %s alone", (code, reason, expected) => {
  const error = new KubeError({ call: "get things", code, reason }, "no");
  const holding = Object.entries(predicates).flatMap(([name, holds]) => (holds(error) ? [name] : []));
  expect(holding).toEqual(expected === undefined ? [] : [expected]);
});

test("a patch for another uid is a conflict, though the API server calls it invalid", () => {
  const status = { code: 422, reason: "Invalid", details: { causes: [{ field: "metadata.uid" }] } };
  const error = KubeError.fromStatus("patch things", status);
  expect([isConflict(error), isInvalid(error)]).toEqual([true, false]);
});

test("a Status says what is wrong and how long to wait; the header has the last word", () => {
  const status = { code: 429, reason: "TooManyRequests", message: "slow down", details: { retryAfterSeconds: 3 } };
  const error = KubeError.fromStatus("list things", status);
  expect(error.message).toBe("list things: slow down");
  expect(error.retryAfterMs).toBe(3000);
  expect(KubeError.fromStatus("list things", status, 1000).retryAfterMs).toBe(1000);
});

test("nothing else passes for an error of Kubernetes", () => {
  for (const holds of Object.values(predicates)) expect(holds({ code: 404 })).toBe(false);
});
