import { expect, it } from "vitest";
import { type AppliedFields, type EarlierApply, appliedFields } from "./applied-fields.ts";

const object = (metadata: object) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", ...metadata },
});
const lastApplied = (text: string) =>
  object({ annotations: { "kubectl.kubernetes.io/last-applied-configuration": text, other: "1" } });
const readable = (fields: AppliedFields): object =>
  Object.fromEntries(Array.from(fields, ([name, within]) => [name, readable(within)]));
const found = ({ onClient, onServer }: EarlierApply) => ({ client: readable(onClient), server: readable(onServer) });

it("finds what kubectl applied on the client", () => {
  const metadata = { name: "shop", labels: { team: "a" }, annotations: { paused: "true" } };
  const applied = { metadata, spec: { policy: { drift: "Report" }, capabilities: ["CAP_REPO_LIST"] } };
  expect(found(appliedFields(lastApplied(JSON.stringify(applied))))).toEqual({
    client: {
      metadata: { labels: { team: {} }, annotations: { paused: {} } },
      spec: { policy: { drift: {} }, capabilities: {} },
    },
    server: { metadata: {} },
  });
});

it("finds what was applied on the server, and not what was set in another way", () => {
  const fieldsV1 = (name: string) => ({ "f:metadata": { "f:annotations": { ".": {}, [`f:${name}`]: {} } } });
  const managedFields = [
    { operation: "Apply", fieldsV1: fieldsV1("paused") },
    { operation: "Apply", subresource: "status", fieldsV1: fieldsV1("of-status") },
    { operation: "Update", fieldsV1: fieldsV1("by-hand") },
    {
      operation: "Apply",
      fieldsV1: { "f:spec": { "f:policy": { "f:drift": {} }, "f:capabilities": { 'v:"a"': {} } } },
    },
  ];
  expect(found(appliedFields(object({ managedFields })))).toEqual({
    client: { metadata: {} },
    server: { metadata: { annotations: { paused: {} } }, spec: { policy: { drift: {} }, capabilities: {} } },
  });
});

it("leaves out what somebody owns who sets it in another way: an apply on the server does not remove it", () => {
  const spec = (claimMatch: object) => ({
    "f:spec": { ".": {}, "f:policy": { "f:drift": {} }, "f:claimMatch": claimMatch },
  });
  const managedFields = [
    { operation: "Apply", fieldsV1: spec({ "f:subject": {}, "f:audience": {} }) },
    { operation: "Update", fieldsV1: spec({ "f:audience": {}, "f:claims": {} }) },
  ];
  expect(found(appliedFields(object({ managedFields }))).server).toEqual({
    metadata: {},
    spec: { claimMatch: { subject: {} } },
  });
});

it.each(["", "{", "null", "[]", '{"metadata": 1}', '{"metadata": {"name": "shop"}}'])("finds nothing in %j", (text) => {
  expect(readable(appliedFields(lastApplied(text)).onClient)).toEqual({ metadata: {} });
});

it.each([[undefined], [1], [[{ operation: "Apply", fieldsV1: 1 }]], [[{ fieldsV1: { "f:spec": { "f:a": {} } } }]]])(
  "finds nothing in the managers %j",
  (managedFields) => {
    expect(readable(appliedFields(object({ managedFields })).onServer)).toEqual({ metadata: {} });
  },
);
