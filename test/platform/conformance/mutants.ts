import type { Mutation } from "./mutant-platform.ts";

interface Mutant {
  /** What is wrong with the platform. */
  readonly what: string;
  readonly mutation: Mutation;
  /** Exactly the cases that must fail. */
  readonly failing: readonly string[];
}

/** Replaces the matches of a pattern in every response. */
const replaced = (pattern: RegExp, by: string): Mutation => ({
  changeResponse: (response) => {
    response.text = response.text.replaceAll(pattern, by);
  },
});

/** Shows the code of the last invite in each list of audit records. */
function leakedInvite(): Mutation {
  let code = "";
  return {
    changeResponse: (response, call) => {
      if (call.startsWith("POST /iam/v2beta1/groupInvites/"))
        code = /"code":"([^"]+)"/.exec(response.text)?.[1] ?? code;
      if (code !== "" && call.startsWith("GET /audit/"))
        response.text = response.text.replace('"records":[{', `"records":[{"note":"${code}",`);
    },
  };
}

/** Platforms that violate some requirements, each with the cases that must detect it. */
export const mutants: readonly Mutant[] = [
  {
    what: "skipped is always 0",
    mutation: replaced(/"skipped":\d+/g, '"skipped":0'),
    failing: ["2.list.skipped", "4.6.4", "paging.skip-from-cursor", "audit.pages"],
  },
  {
    what: "new groups are verified",
    mutation: replaced(/"verified":false/g, '"verified":true'),
    failing: [
      "2.group.verified",
      "4.10.groups",
      "fields.zero-values",
      "fields.group.verified: an owner",
      "v1.create",
      "v1.update: verified is reset for the admin",
    ],
  },
  {
    what: "a call without a token returns 403",
    mutation: {
      changeResponse: (response) => {
        if (response.status === 401) response.status = 403;
      },
    },
    failing: [
      "5.1: another scheme than Bearer",
      "errors.http-status: 3, 5, 9, 16",
      "errors.unauthenticated: before anything in the request is read",
      "errors.unauthenticated: with a challenge (RFC 9110, 11.6.1), and without the token",
      "access.revoke-tokens",
    ],
  },
  {
    what: "deleting a group that is not empty reports success",
    mutation: {
      changeResponse: (response, call) => {
        if (call.startsWith("DELETE /iam/v2beta1/groups/") && response.status === 400)
          Object.assign(response, { status: 200, text: "" });
      },
    },
    failing: [
      "3.delete-not-empty",
      "7.code",
      "7.message",
      "7.details",
      "7.error-info",
      "7.precondition-failure",
      "7.not-empty",
      "fields.violation-subject",
      "errors.exact-texts: a group with a repo",
      "errors.http-status: 3, 5, 9, 16",
      "deletions.not-empty-order",
    ],
  },
  {
    what: "desc is ignored",
    mutation: { rewritePath: (path) => path.replace("%20desc", "") },
    failing: [
      "4.6.order-by",
      "4.6.1",
      "4.6.3",
      "tags.order",
      "tags.order: across pages",
      "paging.order-by",
      "paging.order-by-invalid: other values",
    ],
  },
  {
    what: "the field mask of groups is ignored",
    mutation: { rewritePath: (path) => path.replace(/^(\/iam\/v2beta1\/groups\/.*)update_?mask=[^&]*/i, "$1") },
    failing: [
      "4.7.2: of a group",
      "methods.query-spellings: in a field mask",
      "masks.star",
      "masks.star-alone",
      "masks.listed-and-absent",
      "masks.listed-and-absent: a required field",
      "masks.unknown-path",
      "masks.read-only-path",
      "masks.outside-ignored",
    ],
  },
  {
    what: "an audit record contains the code of an invite",
    mutation: leakedInvite(),
    failing: ["audit.secrets"],
  },
  {
    what: "a limit of repositories is reported as a name that is taken",
    mutation: {
      changeResponse: (response, call) => {
        if (call.startsWith("POST /registry/v2beta1/repos/") && response.text.includes("QuotaFailure"))
          Object.assign(response, { status: 409, text: response.text.replace('"code":8', '"code":6') });
      },
    },
    failing: ["resource-limits.enforced"],
  },
];
