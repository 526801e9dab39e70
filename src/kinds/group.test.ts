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

describe("a group", () => {
  it.each([
    ["is called as its object is", {}, { name: "payments" }],
    ["or as its spec says", { name: "payments.prod" }, { name: "payments.prod" }],
    ["has its description managed where one is set", { description: "x" }, { name: "payments", description: "x" }],
    ["also where it is set to nothing", { description: "" }, { name: "payments", description: "" }],
  ])("%s", (_, spec, desired) => {
    expect(groupKind.desired(group(spec), {}, { serviceAccountIssuer: "" })).toEqual(desired);
  });

  it("names its parent by reference or by uid", () => {
    expect(groupKind.references(group({}))).toEqual([
      { role: "parent", path: "spec.parentUid", target: { by: "uid", uid: parentUid } },
    ]);
    const reference = { name: "shop" };
    expect(groupKind.references({ ...group({}), spec: { ...group({}).spec, parentRef: reference } })).toEqual([
      { role: "parent", path: "spec.parentRef", target: { by: "resource", kind: "Group", reference } },
    ]);
  });
});
