import { describe, expect, it } from "vitest";
import { parseSearchList, searchedNames } from "./search-list.ts";

const ofPod = parseSearchList(
  "nameserver 10.96.0.10\nsearch muster.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5 timeout:2\n",
);

describe("the search list", () => {
  it("is that of a pod", () => {
    expect(ofPod).toEqual({ domains: ["muster.svc.cluster.local", "svc.cluster.local", "cluster.local"], ndots: 5 });
  });

  it.each([
    ["", { domains: [], ndots: 1 }],
    ["domain a.test", { domains: ["a.test"], ndots: 1 }],
    ["search a.test\nsearch b.test. c.test\noptions ndots:99", { domains: ["b.test", "c.test"], ndots: 15 }],
    ["search .\n# options ndots:3", { domains: [], ndots: 1 }],
  ])("of %j is %j", (text, list) => {
    expect(parseSearchList(text)).toEqual(list);
  });

  it.each([
    [
      "kubernetes",
      ["kubernetes.muster.svc.cluster.local", "kubernetes.svc.cluster.local", "kubernetes.cluster.local", "kubernetes"],
    ],
    [
      "kubernetes.default.svc",
      [
        "kubernetes.default.svc.muster.svc.cluster.local",
        "kubernetes.default.svc.svc.cluster.local",
        "kubernetes.default.svc.cluster.local",
        "kubernetes.default.svc",
      ],
    ],
    ["issuer.example.com.", ["issuer.example.com"]],
  ])("has a pod ask for %s as %j", (name, names) => {
    expect(searchedNames(name, ofPod)).toEqual(names);
  });

  it("comes after a name with enough dots, and leaves out names that are too long", () => {
    expect(searchedNames("a.test", { domains: ["b.test", "c".repeat(250)], ndots: 1 })).toEqual([
      "a.test",
      "a.test.b.test",
    ]);
  });
});
