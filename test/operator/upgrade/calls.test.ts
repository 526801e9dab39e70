import { expect, it } from "vitest";
import { excessiveCalls, writingCalls } from "./calls.ts";

const service = "muster.platform.iam.v2beta1";
const calls = {
  [`${service}.GroupsService/CreateGroup`]: 2,
  [`${service}.GroupsService/UpdateGroup`]: 5,
  [`${service}.GroupsService/ListGroups`]: 9,
  [`${service}.RoleBindingsService/DeleteRoleBinding`]: 1,
};

it("finds calls that create or delete more than was declared", () => {
  const permitted = { creations: new Map([["Group", 2]]), deletions: new Map([["RoleBinding", 1]]) };
  expect(excessiveCalls(calls, permitted)).toEqual([]);
  expect(excessiveCalls(calls, { creations: new Map([["Group", 1]]), deletions: new Map() })).toEqual([
    "CreateGroup was called 2 times, for 1 objects",
    "DeleteRoleBinding was called 1 times, for 0 objects",
  ]);
});

it("finds calls that write at rest", () => {
  expect(writingCalls(calls)).toHaveLength(3);
  expect(writingCalls({ [`${service}.GroupsService/ListGroups`]: 9 })).toEqual([]);
});
