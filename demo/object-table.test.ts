import { expect, it } from "vitest";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { whyNotReady } from "./object-table.ts";

const group = (generation: number, ready: object | undefined, more: object = {}) => ({
  ...musterObject("Group", "shop", "checkout", {}),
  metadata: { namespace: "shop", name: "checkout", generation, ...more },
  status: ready === undefined ? undefined : { conditions: [{ type: "Ready", observedGeneration: 1, ...ready }] },
});
const deleted = { deletionTimestamp: "2026-01-31T00:00:00Z" };
const denied = { status: "False", reason: "TenantDenied", message: "not here." };

it.each([
  ["does not exist", undefined],
  ["no status yet", group(1, undefined)],
  ["TenantDenied: not here.", group(1, denied)],
  ["status is for an older spec", group(2, { status: "True", reason: "Available", message: "" })],
  ["being deleted", group(1, { status: "True" }, deleted)],
  ["being deleted", group(2, denied, deleted)],
  ["being deleted; TenantDenied: not here.", group(1, denied, deleted)],
])("describes an object that is not Ready: %s", (why, object) => {
  expect(whyNotReady(object)).toBe(why);
});
