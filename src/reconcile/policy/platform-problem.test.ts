import { describe, expect, it } from "vitest";
import { type CodeName, codeNames, type PlatformProblem } from "#src/platform-client/failure.ts";
import {
  bindingResource,
  decisionInput,
  groupResource,
  identityResource,
  platformError,
} from "./observed-fixture.testing.ts";
import { problemOf } from "./platform-problem.ts";

const group = decisionInput();
const identity = decisionInput({ resource: identityResource() });
const roleBinding = decisionInput({ resource: bindingResource() });
const problemOfCode = (code: CodeName, more: object = {}) =>
  problemOf({ kind: "rejected", error: platformError(code, more) }, identity);

describe("an error of the platform", () => {
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
    expect(problemOfCode(code)).toMatchObject({ is, reason, error: { code } });
  });

  it("has a message for every code", () => {
    for (const code of codeNames) expect(problemOfCode(code).message).not.toBe("");
  });

  it.each([
    ["RESOURCE_NOT_EMPTY", "cannot delete group with child repos"],
    ["RESOURCE_IN_USE", "cannot delete role that is bound"],
  ])("waits for what is in the resource, or refers to it, after %s", (type, description) => {
    const preconditionViolations = [{ type, description }];
    expect(problemOfCode("FAILED_PRECONDITION", { preconditionViolations })).toMatchObject({
      is: "waiting",
      reason: "ChildrenExist",
    });
  });

  it("names the quota after RESOURCE_EXHAUSTED with a QuotaFailure, and stalls", () => {
    const quotaViolations = [{ subject: "groups below 00aa", description: "at most 100" }];
    expect(problemOfCode("RESOURCE_EXHAUSTED", { quotaViolations })).toMatchObject({
      is: "stalled",
      reason: "QuotaExceeded",
      message: expect.stringContaining("groups below 00aa: at most 100."),
    });
  });

  it("does not advise another name after ALREADY_EXISTS for a role binding, which has none", () => {
    const problem: PlatformProblem = { kind: "rejected", error: platformError("ALREADY_EXISTS") };
    expect(problemOf(problem, identity).message).toContain("Choose another name");
    const { message } = problemOf(problem, roleBinding);
    expect(message).not.toMatch(/name|adoption/);
    expect(message).toContain("delete this object");
  });

  it.each<[string, PlatformProblem]>([
    ["a missing permission", { kind: "rejected", error: platformError("PERMISSION_DENIED") }],
    ["a missing list capability", { kind: "permissions", capability: "CAP_X", scope: "g" }],
    ["a refused exchange", { kind: "credential", cause: "exchange", message: "refused" }],
    ["a missing token", { kind: "credential", cause: "unavailable", message: "no file" }],
  ])("%s may concern the credentials of the Tenant", (_, problem) => {
    expect(problemOf(problem, group).message).toContain("spec.credentials of the Tenant");
  });

  it("quotes each field violation by its spec path", () => {
    const fieldViolations = [
      { field: "name", description: "must match" },
      { field: "claim_match.issuer", description: "must be https" },
    ];
    expect(problemOfCode("INVALID_ARGUMENT", { fieldViolations }).message).toBe(
      "The platform rejected the spec: spec.name: must match; spec.claimMatch.issuer: must be https.",
    );
  });
});

describe("a call without a valid response", () => {
  it.each<[string, PlatformProblem, string, string]>([
    ["a lost connection", { kind: "noResponse", message: "reset" }, "waiting", "PlatformUnavailable"],
    ["a pause", { kind: "paused", retryAfterMs: 1 }, "waiting", "RateLimited"],
    [
      "a missing token",
      { kind: "credential", cause: "unavailable", message: "no file" },
      "failing",
      "TokenUnavailable",
    ],
    [
      "a failed exchange",
      { kind: "credential", cause: "exchange", message: "refused" },
      "failing",
      "TokenExchangeFailed",
    ],
    [
      "a call that was suspended has the problem of the outage",
      { kind: "suspended", outage: { kind: "credential", cause: "exchange", message: "refused" } },
      "failing",
      "TokenExchangeFailed",
    ],
    ["a missing parent", { kind: "parentGone", parent: "g" }, "waiting", "ReferenceNotReady"],
    ["a missing permission", { kind: "permissions", capability: "CAP_X", scope: "g" }, "failing", "PermissionDenied"],
  ])("%s", (_, failure, is, reason) => {
    expect(problemOf(failure, group)).toMatchObject({ is, reason });
  });

  it("names the field of a missing parent, and what to do", () => {
    const gone: PlatformProblem = { kind: "parentGone", parent: "g" };
    expect(problemOf(gone, identity).message).toBe(
      "spec.groupUid: the group g does not exist on the platform. If it is not created again, delete this object and create it with the uid of an existing group: the field is immutable.",
    );
    const child = decisionInput({ resource: groupResource({ spec: { parentRef: { name: "shop" } } }) });
    expect(problemOf(gone, child).message).toBe(
      "spec.parentRef: the group g of Group shop does not exist on the platform. This object continues when it exists again: read the status of that Group.",
    );
  });
});
