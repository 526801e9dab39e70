import { expect, it } from "vitest";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { whyNotReady } from "./object-table.ts";

const group = (generation: number, ready: object | undefined, more: object = {}) => ({
  ...musterObject("Group", "shop", "checkout", {}),
  metadata: { namespace: "shop", name: "checkout", generation, ...more },
  status: ready === undefined ? undefined : { conditions: [{ type: "Ready", observedGeneration: 1, ...ready }] },
});
const denied = { status: "False", reason: "TenantDenied", message: "not here." };

it.each([
  ["not there", undefined],
  ["has no status yet", group(1, undefined)],
  ["TenantDenied: not here.", group(1, denied)],
  ["its newest spec has not been looked at yet", group(2, { status: "True", reason: "Available", message: "" })],
  ["is being deleted; Ready", group(1, { status: "True" }, { deletionTimestamp: "2026-01-31T00:00:00Z" })],
])("tells of an object that it %s", (why, object) => {
  expect(whyNotReady(object)).toBe(why);
});
