import { expect, it } from "vitest";
import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import { statusBounds } from "#src/api/status.ts";
import { groupResource, ready } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { isUnhandled } from "./unhandled.ts";

it.each<[string, object, object, boolean]>([
  ["nothing changed", {}, {}, false],
  ["an edit", { generation: 2 }, {}, true],
  ["a deletion", { deletionTimestamp: "2026-01-01T00:00:00Z" }, {}, true],
  ["a request", { annotations: { [reconcileRequestedAtAnnotation]: "now" } }, {}, true],
  [
    "a handled request",
    { annotations: { [reconcileRequestedAtAnnotation]: "x" } },
    { lastHandledReconcileAt: "x" },
    false,
  ],
  [
    "a handled request whose value did not fit into the status",
    { annotations: { [reconcileRequestedAtAnnotation]: "x".repeat(10_000) } },
    { lastHandledReconcileAt: "x".repeat(statusBounds.text) },
    false,
  ],
])("somebody may be waiting after %s", (_, metadata, status, expected) => {
  const resource = groupResource({ metadata, status: { ...ready, ...status } });
  expect(isUnhandled({ metadata: resource.metadata, resource, invalid: undefined, objectHash: "" })).toBe(expected);
});
