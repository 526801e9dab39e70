import { expect, test } from "vitest";
import { compareResourceVersions, keyOf, withoutBulk } from "./object.ts";

test("compares resource versions as integers of any length", () => {
  expect(compareResourceVersions("9", "10")).toBeLessThan(0);
  expect(compareResourceVersions("10", "9")).toBeGreaterThan(0);
  expect(compareResourceVersions("123", "123")).toBe(0);
  expect(compareResourceVersions("9007199254740993", "9007199254740992")).toBeGreaterThan(0);
  expect(compareResourceVersions("199", "200")).toBeLessThan(0);
});

test("a key is the namespace and the name, or the name alone", () => {
  expect(keyOf({ metadata: { namespace: "a", name: "b" } })).toBe("a/b");
  expect(keyOf({ metadata: { name: "b" } })).toBe("b");
});

test("removes managedFields and kubectl's copy of the object, and nothing else", () => {
  const object = {
    apiVersion: "v1",
    kind: "K",
    metadata: {
      name: "a",
      managedFields: [{ manager: "kubectl" }],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", mine: "1" },
      uid: "u",
    },
    spec: { a: 1 },
  };
  expect(withoutBulk(object)).toEqual({
    apiVersion: "v1",
    kind: "K",
    metadata: { name: "a", annotations: { mine: "1" }, uid: "u" },
    spec: { a: 1 },
  });
});
