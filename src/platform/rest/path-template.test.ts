import { describe, expect, it } from "vitest";
import { parsePathTemplate } from "./path-template.ts";

describe("parsePathTemplate", () => {
  it.each<[string, string, Record<string, string> | undefined]>([
    ["/iam/v2beta1/groups", "/iam/v2beta1/groups", {}],
    ["/iam/v2beta1/groups", "/iam/v2beta1/groups/a", undefined],
    ["/iam/v2beta1/groups/{uid=**}", "/iam/v2beta1/groups/a/b", { uid: "a/b" }],
    ["/iam/v2beta1/groups/{uid=**}", "/iam/v2beta1/groups/a%2Fb", { uid: "a/b" }],
    ["/iam/v2beta1/groups/{uid=**}", "/iam/v2beta1/groups", { uid: "" }],
    ["/iam/v2beta1/groups/{uid=**}", "/iam/v2beta1/groups/%zz", { uid: "%zz" }],
    ["/iam/v2beta1/groups/{group.uid=**}", "/iam/v2beta1/groups/a", { "group.uid": "a" }],
    ["/iam/v2beta1/groups/{uid=**}", "/iam/v2beta1/groupsX", undefined],
    ["/iam/v2beta1/roleBindings:batchCreate", "/iam/v2beta1/roleBindings:batchCreate", {}],
    ["/i/{uid=**}:revokeTokens", "/i/a/b:revokeTokens", { uid: "a/b" }],
    ["/i/{uid=**}:revokeTokens", "/i/a/b", undefined],
    ["/a/{b}/c", "/a/x/c", { b: "x" }],
    ["/a/{b}/c", "/a/x/y/c", undefined],
    ["/a.b", "/axb", undefined],
  ])("%s on %s", (template, path, expected) => {
    expect(parsePathTemplate(template).match(path)).toEqual(expected);
  });

  it("rejects an unsupported template", () => {
    expect(() => parsePathTemplate("/a/{b=c/*}")).toThrowError("is not supported");
  });
});
