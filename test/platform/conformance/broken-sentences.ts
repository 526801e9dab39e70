import type { Bend } from "./bent-platform.ts";

interface Broken {
  readonly what: string;
  readonly bend: Bend;
  /** The cases that must fail, and no others. */
  readonly failing: readonly string[];
}

/** Replaces in every answer. */
const replaced = (pattern: RegExp, by: string): Bend => ({
  answered: (answer) => {
    answer.text = answer.text.replaceAll(pattern, by);
  },
});

/** Platforms that break some sentences, and which cases must tell so. */
export const brokenSentences: readonly Broken[] = [
  {
    what: "skipped is always 0",
    bend: replaced(/"skipped":\d+/g, '"skipped":0'),
    failing: ["2.list.skipped", "4.6.skip", "4.6.4", "paging.skip-from-cursor"],
  },
  {
    what: "new groups are verified",
    bend: replaced(/"verified":false/g, '"verified":true'),
    failing: ["2.group.verified", "4.10.groups", "fields.zero-values", "fields.group.verified: an owner", "v1.create"],
  },
  {
    what: "a call without a token is forbidden",
    bend: {
      answered: (answer) => {
        if (answer.status === 401) answer.status = 403;
      },
    },
    failing: ["5.1: another scheme than Bearer", "errors.http-status: 3, 5, 9, 16"],
  },
  {
    what: "a group that is not empty is deleted, it says",
    bend: {
      answered: (answer, call) => {
        if (call.startsWith("DELETE /iam/v2beta1/groups/") && answer.status === 400)
          Object.assign(answer, { status: 200, text: "" });
      },
    },
    failing: [
      "3.delete-not-empty",
      "7.code",
      "7.message",
      "7.details",
      "7.error-info",
      "7.precondition-failure",
      "7.not-empty: with a repo",
      "7.not-empty: with another group",
      "fields.violation-subject",
      "errors.exact-texts: a repo",
      "errors.http-status: 3, 5, 9, 16",
      "deletions.not-empty-order",
    ],
  },
  {
    what: "desc is ignored",
    bend: { asked: (path) => path.replace("%20desc", "") },
    failing: ["4.6.order-by", "4.6.1", "4.6.3", "tags.order", "paging.order-by", "paging.order-by-refused: no order"],
  },
  {
    what: "the mask is ignored, of groups",
    bend: { asked: (path) => path.replace(/^(\/iam\/v2beta1\/groups\/.*)update_?mask=[^&]*/i, "$1") },
    failing: [
      "4.7.2: of a group",
      "methods.query-spellings: of a mask",
      "masks.star",
      "masks.star-alone",
      "masks.listed-and-absent",
      "masks.listed-and-absent: a required one",
      "masks.unknown-path",
      "masks.read-only-path",
      "masks.outside-ignored",
    ],
  },
];
