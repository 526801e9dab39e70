import { expect, test } from "vitest";
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isNotFound,
  isRefused,
  isThrottled,
  KubeError,
} from "./errors.ts";

const predicates = {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,

  isNotFound,
  isThrottled,
};

test.each([
  [404, "NotFound", "isNotFound"],
  [409, "AlreadyExists", "isAlreadyExists"],
  [409, "Conflict", "isConflict"],
  [410, "Expired", "isGone"],
  [403, "Forbidden", "isForbidden"],
  [422, "Invalid", undefined],
  [429, "TooManyRequests", "isThrottled"],
  [503, "ServiceUnavailable", "isThrottled"],
  [0, "NoResponse", undefined],
  [500, "InternalError", undefined],
])("%d %s: only %s is true", (code, reason, expected) => {
  const error = new KubeError({ call: "get widgets", code, reason }, "no");
  const matching = Object.entries(predicates).flatMap(([name, matches]) => (matches(error) ? [name] : []));
  expect(matching).toEqual(expected === undefined ? [] : [expected]);
});

test("a patch with another uid is a conflict, although the API server reports it as invalid", () => {
  const status = { code: 422, reason: "Invalid", details: { causes: [{ field: "metadata.uid" }] } };
  const error = KubeError.fromStatus("patch widgets", status);
  expect(isConflict(error)).toBe(true);
  expect(isRefused(error)).toBe(false);
});

test.each([
  [400, "a webhook that sets no code"],
  [403, "RBAC or a quota"],
  [413, "an object that is too large"],
  [422, "the schema or an admission policy"],
])("%d is a refusal: %s", (code) => {
  expect(isRefused(new KubeError({ call: "patch widgets", code, reason: "" }, "no"))).toBe(true);
});

test.each([0, 401, 404, 409, 410, 429, 500, 503])("%d is not a refusal", (code) => {
  expect(isRefused(new KubeError({ call: "patch widgets", code, reason: "" }, "no"))).toBe(false);
});

test("a Status contains the message and the delay; the Retry-After header takes precedence", () => {
  const status = { code: 429, reason: "TooManyRequests", message: "slow down", details: { retryAfterSeconds: 3 } };
  const error = KubeError.fromStatus("list widgets", status);
  expect(error.message).toBe("list widgets: slow down");
  expect(error.retryAfterMs).toBe(3000);
  expect(KubeError.fromStatus("list widgets", status, 1000).retryAfterMs).toBe(1000);
});

test("a pause is at most five minutes long, whatever the response asks for", () => {
  const pauseOf = (status: unknown, header?: number) =>
    KubeError.fromStatus("list widgets", { code: 503, ...(status as object) }, header).retryAfterMs;
  expect(pauseOf({}, Number.MAX_SAFE_INTEGER)).toBe(300_000);
  expect(pauseOf({ details: { retryAfterSeconds: 1e9 } })).toBe(300_000);
  expect(pauseOf({ details: { retryAfterSeconds: -5 } })).toBe(0);
  expect(pauseOf({ details: { retryAfterSeconds: "soon" } })).toBeUndefined();
});

test("no predicate is true for anything but a KubeError", () => {
  for (const matches of Object.values(predicates)) expect(matches({ code: 404 })).toBe(false);
});
