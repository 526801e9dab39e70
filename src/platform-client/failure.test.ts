import { describe, expect, it } from "vitest";
import { codeNames, parseErrorBody, parseBoundedRetryAfter, type PlatformProblem, provesNoEffect } from "./failure.ts";

const httpStatus: Readonly<Record<string, number>> = {
  CANCELLED: 499,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  UNAUTHENTICATED: 401,
};

describe("parseErrorBody", () => {
  it.each(codeNames.slice(1).map((name, index) => [name, index + 1] as const))(
    "%s is accepted only with its HTTP status",
    (name, code) => {
      expect(parseErrorBody(httpStatus[name] ?? 500, { code, message: "m" })).toMatchObject({
        code: name,
        message: "m",
      });
      expect(parseErrorBody(418, { code, message: "m" })).toBeUndefined();
    },
  );

  it.each<[string, number, unknown]>([
    ["a list", 404, []],
    ["an empty body", 404, undefined],
    ["a string", 404, "not found"],
    ["a code given by name", 404, { code: "NOT_FOUND", message: "m" }],
    ["a missing message", 404, { code: 5 }],
    ["an unknown code", 500, { code: 17, message: "m" }],
    ["the code OK", 500, { code: 0, message: "m" }],
    ["a wrapped error", 404, { error: { code: 5, message: "m" } }],
  ])("rejects %s", (_, status, body) => {
    expect(parseErrorBody(status, body)).toBeUndefined();
  });

  it("returns the details and ignores malformed ones", () => {
    const details = [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "R", domain: "d" },
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "name", description: "x" }, 7],
      },
      {
        "@type": "type.googleapis.com/google.rpc.PreconditionFailure",
        violations: [
          { type: "T", description: "y" },
          { type: "U", description: "z", subject: "s" },
        ],
      },
      null,
      "nonsense",
    ];
    expect(parseErrorBody(400, { code: 9, message: "m", details })).toEqual({
      code: "FAILED_PRECONDITION",
      message: "m",
      reason: "R",
      domain: "d",
      fieldViolations: [{ field: "name", description: "x" }],
      preconditionViolations: [
        { type: "T", description: "y" },
        { type: "U", description: "z", subject: "s" },
      ],
    });
    expect(parseErrorBody(400, { code: 3, message: "m", details: "none" })).toMatchObject({ fieldViolations: [] });
  });
});

describe("a QuotaFailure", () => {
  const withDetail = (detail: object) => parseErrorBody(429, { code: 8, message: "m", details: [detail] });
  const type = "type.googleapis.com/google.rpc.QuotaFailure";

  it("is returned with the quotas that it names", () => {
    const violations = [{ subject: "groups:abc", description: "at most 100 groups" }, "nonsense"];
    expect(withDetail({ "@type": type, violations })?.quotaViolations).toEqual([
      { subject: "groups:abc", description: "at most 100 groups" },
    ]);
  });
  it("counts as one also if it names no quota", () => {
    expect(withDetail({ "@type": type })?.quotaViolations).toEqual([]);
  });
  it("is not assumed for another detail", () => {
    expect(withDetail({ "@type": "type.googleapis.com/google.rpc.ErrorInfo" })).not.toHaveProperty("quotaViolations");
  });
  it("is bounded, as all details are", () => {
    const violations = Array.from({ length: 1_000 }, () => ({ subject: "s".repeat(100_000), description: "d" }));
    const parsed = withDetail({ "@type": type, violations })?.quotaViolations ?? [];
    expect(parsed).toHaveLength(64);
    expect(parsed[0]?.subject).toHaveLength(32_768);
  });
});

describe("whether a failure proves that a write had no effect", () => {
  const proving = ["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED"].concat(
    ["FAILED_PRECONDITION", "OUT_OF_RANGE", "UNIMPLEMENTED", "UNAUTHENTICATED"],
  );
  const error = { message: "", reason: "", domain: "", fieldViolations: [], preconditionViolations: [] };
  it.each(codeNames.map((code) => [code, proving.includes(code)] as const))("%s: %s", (code, proves) => {
    expect(provesNoEffect({ kind: "rejected", error: { ...error, code } })).toBe(proves);
  });
  it.each<[PlatformProblem, boolean]>([
    [{ kind: "noResponse", message: "" }, false],
    [{ kind: "paused", retryAfterMs: 0 }, true],
    [{ kind: "credential", cause: "unavailable", message: "" }, true],
    [{ kind: "permissions", capability: "", scope: "" }, true],
    [{ kind: "suspended", outage: { kind: "noResponse", message: "" } }, true],
    [{ kind: "parentGone", parent: "" }, true],
  ])("%j: %s", (problem, proves) => {
    expect(provesNoEffect(problem)).toBe(proves);
  });
});

it.each([
  ["3", 3_000],
  ["0", 0],
  ["999999", 3_600_000],
  ["Thu, 01 Jan 1970 00:00:05 GMT", 5_000],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["soon", undefined],
  [undefined, undefined],
])("parses Retry-After %j as %j ms", (header, ms) => {
  expect(parseBoundedRetryAfter(header, 0)).toBe(ms);
});
