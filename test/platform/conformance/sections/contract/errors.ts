import { detail, equal, has, holds, matches, rejected, Skip, violationsOf } from "../../expect.ts";
import { contractSection, overBoth, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

const pattern = "^[a-z0-9 ._-]{1,}$";

const nameless = async ({ api, group }: World) =>
  rejected(await api.create("groups", group, {}), { code: 3 }, "a Create without a name");

const notEmpty = async (world: World) => {
  const group = await world.makeGroup();
  await world.makeGroup(group);
  return rejected(await world.api.delete("groups", group), { code: 9 }, "a Delete of a group with a child");
};

/** Section 7. */
export const errors = contractSection("7 Errors", [
  requirement(
    "7.shape",
    "The error body follows the Google AIP-193 shape: `code`, `message`, `details`.",
    overRest(async ({ rest, group }) => {
      const response = await rest.send("POST", `/iam/v2beta1/groups/${group}`, { body: {} });
      const body = JSON.parse(response.text) as Record<string, unknown>;
      equal(Object.keys(body).toSorted(), ["code", "details", "message"], "the fields of the body");
    }),
  ),
  requirement(
    "7.code",
    "`code`: a gRPC status code.",
    overBoth(async (world) => {
      equal((await nameless(world)).code, 3, "code");
      equal((await notEmpty(world)).code, 9, "code");
    }),
  ),
  requirement(
    "7.message",
    "`message`: text of the form `Invalid argument: <field>: <description>` or `Precondition failed: <description>`.",
    overBoth(async (world) => {
      matches((await nameless(world)).message, /^Invalid argument: name: ./, "the message of code 3");
      matches((await notEmpty(world)).message, /^Precondition failed: ./, "the message of code 9");
    }),
  ),
  requirement(
    "7.details",
    "`details`: typed payloads. Each has `@type`.",
    overBoth(async (world) => {
      for (const failure of [await nameless(world), await notEmpty(world)]) {
        holds(failure.details.length > 0, "details", "at least one payload", failure);
        for (const one of failure.details) matches(one["@type"], /^type\.googleapis\.com\/./, "@type");
      }
    }),
  ),
  requirement(
    "7.error-info",
    "`google.rpc.ErrorInfo`: `reason`, `domain` (the fixed domain of the IAM service).",
    overBoth(async (world) => {
      const infos = [await nameless(world), await notEmpty(world)].map((failure) => detail(failure, "ErrorInfo"));
      for (const info of infos) matches(info?.["reason"], /^[A-Z][A-Z_]+$/, "reason");
      matches(infos[0]?.["domain"], /./, "domain");
      equal(infos[1]?.["domain"], infos[0]?.["domain"], "domain of the other error");
    }),
  ),
  requirement(
    "7.bad-request",
    "`google.rpc.BadRequest`: `fieldViolations`, an array of {`field`, `description`}.",
    overBoth(async (world) => {
      const [violation] = violationsOf(await nameless(world), "BadRequest");
      has(violation, { field: "name" }, "the violation");
      matches(violation?.description, /./, "its description");
    }),
  ),
  requirement(
    "7.precondition-failure",
    "`google.rpc.PreconditionFailure`: `violations`, an array of {`type`, `description`}.",
    overBoth(async (world) => {
      const [violation] = violationsOf(await notEmpty(world), "PreconditionFailure");
      has(violation, { type: "RESOURCE_NOT_EMPTY" }, "the violation");
      matches(violation?.description, /./, "its description");
    }),
  ),
  requirement(
    "7.invalid-name",
    "A create request lacks a valid `name` (for example an empty body on group create): code 3, INVALID_ARGUMENT, a violation for field `name` whose description states the required pattern.",
    overBoth(async (world) => {
      for (const body of [{}, { name: "" }, { name: "No" }]) {
        const outcome = await world.api.create("groups", world.group, body);
        const failure = rejected(outcome, { code: 3, reason: "INVALID_ARGUMENT", field: "name" });
        const [violation] = violationsOf(failure, "BadRequest");
        holds(violation?.description.includes(pattern) === true, "the description", pattern, violation?.description);
      }
    }),
    overRest("without a body", async ({ rest, group }) => {
      const { status, text } = await rest.send("POST", `/iam/v2beta1/groups/${group}`);
      equal(status, 400, "the HTTP status");
      has(JSON.parse(text), { code: 3 }, "the body");
    }),
  ),
  requirement(
    "7.not-empty",
    "Deleting a group that still has child resources such as repos: code 9, FAILED_PRECONDITION, a violation of type `RESOURCE_NOT_EMPTY` with the description `cannot delete group with child repos`.",
    overBoth(async (world) => {
      const group = await world.makeGroup();
      const made = await world.api.create("repos", group, { name: "repo" });
      if (!made.ok) throw new Skip("this platform cannot create repos");
      const failure = rejected(await world.api.delete("groups", group), {
        code: 9,
        reason: "FAILED_PRECONDITION",
        violation: "RESOURCE_NOT_EMPTY",
      });
      const [violation] = violationsOf(failure, "PreconditionFailure");
      equal(violation?.description, "cannot delete group with child repos", "the description");
    }),
  ),
  untested(
    "7.http-status",
    "HTTP status codes that go with these errors: not shown.",
    "the contract leaves it open; see errors.http-status",
  ),
  untested(
    "7.others",
    "Errors for a missing resource, failed authentication and insufficient permission: not shown.",
    "the contract leaves it open; see errors",
  ),
]);
