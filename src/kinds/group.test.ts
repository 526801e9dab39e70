import { describe, expect, it } from "vitest";
import type { Group } from "#src/api/group.ts";
import { groupSpecSchema } from "#src/api/group.ts";
import { groupKind } from "./group.ts";

const parentUid = "a".repeat(40);
const group = (spec: object): Group => ({
  apiVersion: "iam.muster.dev/v1beta1",
  kind: "Group",
  metadata: { name: "payments", namespace: "team" },
  spec: groupSpecSchema.parse({ parentUid, ...spec }),
});

describe("groupKind", () => {
  it.each([
    ["uses the name of the object by default", {}, { name: "payments" }],
    ["uses the name in the spec if it is set", { name: "payments.prod" }, { name: "payments.prod" }],
    ["manages the description if it is set", { description: "x" }, { name: "payments", description: "x" }],
    ["manages the description if it is empty", { description: "" }, { name: "payments", description: "" }],
  ])("%s", (_, spec, desired) => {
    expect(
      groupKind.desired(group(spec), { parent: parentUid }, { serviceAccounts: { issuer: "", audience: "" } }),
    ).toEqual(desired);
  });

  it("refers to its parent by name or by uid", () => {
    expect(groupKind.references(group({}))).toEqual([
      { purpose: "parent", path: "spec.parentUid", target: { by: "uid", uid: parentUid } },
    ]);
    const reference = { name: "shop" };
    expect(groupKind.references({ ...group({}), spec: { ...group({}).spec, parentRef: reference } })).toEqual([
      { purpose: "parent", path: "spec.parentRef", target: { by: "resource", kind: "Group", reference } },
    ]);
  });
});
