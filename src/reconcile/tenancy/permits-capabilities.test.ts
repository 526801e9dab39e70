import { describe, expect, it } from "vitest";
import { everything } from "./boundary.testing.ts";
import { excessOf } from "./permits-capabilities.ts";

const root = "a".repeat(40);
const viewer = { uid: "c".repeat(40), name: "viewer", capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] };
const owner = { uid: "d".repeat(40), name: "owner", capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] };
const custom = { uid: `${root}/5555555555555555`, name: "deleter", capabilities: ["CAP_REPO_DELETE"] };
/** A role of a group with the name of a built-in one that the Tenant lists. */
const namesake = { uid: `${root}/6666666666666666`, name: "viewer", capabilities: ["CAP_REPO_DELETE"] };
const roles = {
  byName: new Map([viewer, owner].map((role) => [role.name, role])),
  byUid: new Map([viewer, owner, custom, namesake].map((role) => [role.uid, role])),
};

/** What of everything exceeds the limits. */
function excess(listed: readonly string[], declared: readonly string[] = [], allowed = listed): readonly string[] {
  const boundary = { ...everything({ roots: [root], roles: [...allowed], namespaces: null }), roles: listed };
  const limits = { boundary, roles, isDeclaredRole: (uid: string) => declared.includes(uid) };
  return excessOf(["CAP_REPO_LIST", "CAP_REPO_DELETE", "CAP_UNKNOWN"], limits);
}

describe("the capabilities that a declared role may have", () => {
  it.each<[string, Parameters<typeof excess>, readonly string[]]>([
    ["those of a built-in role in the Tenant's list", [["viewer"]], ["CAP_REPO_DELETE", "CAP_UNKNOWN"]],
    ["those of all of them together", [["viewer", "owner"]], ["CAP_UNKNOWN"]],
    ["none without a list", [[]], ["CAP_REPO_LIST", "CAP_REPO_DELETE", "CAP_UNKNOWN"]],
    ["those of a role by its uid", [[custom.uid]], ["CAP_REPO_LIST", "CAP_UNKNOWN"]],
    [
      "not those of a role that an object manages",
      [["viewer", custom.uid], [custom.uid]],
      ["CAP_REPO_DELETE", "CAP_UNKNOWN"],
    ],
    ["not those of a role that has the name of a built-in one", [["viewer"]], ["CAP_REPO_DELETE", "CAP_UNKNOWN"]],
    [
      "not those that the operator's settings do not allow",
      [["owner"], [], ["viewer"]],
      ["CAP_REPO_LIST", "CAP_REPO_DELETE", "CAP_UNKNOWN"],
    ],
  ])("are %s", (_, parameters, expected) => {
    expect(excess(...parameters)).toEqual(expected);
  });
});
