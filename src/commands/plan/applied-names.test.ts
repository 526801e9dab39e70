import { expect, it } from "vitest";
import { appliedNames } from "./applied-names.ts";

const object = (metadata: object) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", ...metadata },
});
const lastApplied = (text: string) =>
  object({ annotations: { "kubectl.kubernetes.io/last-applied-configuration": text, other: "1" } });

it("finds what kubectl applied on the client", () => {
  const applied = { metadata: { labels: { team: "a" }, annotations: { paused: "true" } } };
  expect(appliedNames(lastApplied(JSON.stringify(applied)))).toEqual({ labels: ["team"], annotations: ["paused"] });
});

it("finds what was applied on the server, and not what was set in another way", () => {
  const fieldsV1 = (name: string) => ({ "f:metadata": { "f:annotations": { ".": {}, [`f:${name}`]: {} } } });
  const managedFields = [
    { operation: "Apply", fieldsV1: fieldsV1("paused") },
    { operation: "Apply", subresource: "status", fieldsV1: fieldsV1("of-status") },
    { operation: "Update", fieldsV1: fieldsV1("by-hand") },
    { operation: "Apply", fieldsV1: { "f:spec": {} } },
  ];
  expect(appliedNames(object({ managedFields }))).toEqual({ labels: [], annotations: ["paused"] });
});

it.each([["", "{", "null", "[]", '{"metadata": 1}', '{"metadata": {"labels": [1]}}'].map((text) => [text])].flat())(
  "finds nothing in %j",
  (text) => {
    expect(appliedNames(lastApplied(text))).toEqual({ labels: [], annotations: [] });
  },
);
