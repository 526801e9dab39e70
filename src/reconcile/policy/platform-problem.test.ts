import { describe, expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { type CodeName, codeNames, type PlatformProblem } from "#src/platform-client/failure.ts";
import { refusal } from "./observed-fixture.testing.ts";
import { problemOf } from "./platform-problem.ts";

const of = (code: CodeName, more: object = {}) =>
  problemOf({ kind: "refused", error: refusal(code, more) }, kinds.Identity);

describe("what each answer of the platform means", () => {
  it.each<[CodeName, string, string]>([
    ["INVALID_ARGUMENT", "stalled", "InvalidSpec"],
    ["OUT_OF_RANGE", "stalled", "InvalidSpec"],
    ["UNIMPLEMENTED", "stalled", "InvalidSpec"],
    ["FAILED_PRECONDITION", "stalled", "PreconditionFailed"],
    ["UNAUTHENTICATED", "failing", "TokenUnavailable"],
    ["PERMISSION_DENIED", "failing", "PermissionDenied"],
    ["NOT_FOUND", "failing", "ReferenceNotFound"],
    ["ALREADY_EXISTS", "stalled", "Conflict"],
    ["RESOURCE_EXHAUSTED", "waiting", "RateLimited"],
    ["CANCELLED", "waiting", "PlatformUnavailable"],
    ["UNKNOWN", "waiting", "PlatformUnavailable"],
    ["DEADLINE_EXCEEDED", "waiting", "PlatformUnavailable"],
    ["ABORTED", "waiting", "PlatformUnavailable"],
    ["INTERNAL", "waiting", "PlatformUnavailable"],
    ["UNAVAILABLE", "waiting", "PlatformUnavailable"],
    ["DATA_LOSS", "waiting", "PlatformUnavailable"],
  ])("%s: %s, %s", (code, is, reason) => {
    expect(of(code)).toMatchObject({ is, reason, error: { code } });
  });

  it("covers every code that an error can have", () => {
    for (const code of codeNames) expect(of(code).message).not.toBe("");
  });

  it("RESOURCE_NOT_EMPTY waits for the children", () => {
    const preconditionViolations = [
      { type: "RESOURCE_NOT_EMPTY", description: "cannot delete group with child repos" },
    ];
    expect(of("FAILED_PRECONDITION", { preconditionViolations })).toMatchObject({
      is: "waiting",
      reason: "ChildrenExist",
    });
  });

  it("quotes each field violation by its spec path", () => {
    const fieldViolations = [
      { field: "name", description: "must match" },
      { field: "claim_match.issuer", description: "must be https" },
    ];
    expect(of("INVALID_ARGUMENT", { fieldViolations }).message).toBe(
      "The platform refused the spec: spec.name: must match; spec.claimMatch.issuer: must be https.",
    );
  });
});

describe("what no answer means", () => {
  it.each<[string, PlatformProblem, string, string]>([
    ["silence", { kind: "noResponse", message: "reset" }, "waiting", "PlatformUnavailable"],
    ["a pause", { kind: "paused", retryAfterMs: 1 }, "waiting", "RateLimited"],
    ["no token", { kind: "credential", cause: "unavailable", message: "no file" }, "failing", "TokenUnavailable"],
    ["no exchange", { kind: "credential", cause: "exchange", message: "refused" }, "failing", "TokenExchangeFailed"],
    ["no right", { kind: "permissions", capability: "CAP_X", scope: "g" }, "failing", "PermissionDenied"],
  ])("%s", (_, failure, is, reason) => {
    expect(problemOf(failure, kinds.Group)).toMatchObject({ is, reason });
  });
});
