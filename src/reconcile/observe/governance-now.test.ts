import { expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Governance } from "#src/reconcile/tenancy/tenancy.ts";
import { bindingResource, emptyState, notReady, ready, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { governanceNow } from "./governance-now.ts";
import type { ReconcileState } from "./reconcile-state.ts";

const expiresAt = "2026-02-02T02:02:02Z";
const expiry = Date.parse(expiresAt);
const deleted = { deletionTimestamp: expiresAt };

/** With which object, and whether as one that ends, the Tenant is looked up. */
function asked(resource: Resource, wallClock = 0, state: Partial<ReconcileState> = {}) {
  let call: { resource: Resource; ends: boolean | undefined } | undefined;
  const governanceOf = (of: Resource, ends?: boolean): Governance => {
    call = { resource: of, ends };
    return { by: "none" };
  };
  governanceNow({ governanceOf }, { resource, state: { ...emptyState, ...state } }, wallClock);
  return call;
}

it.each<[string, boolean, Resource, number?]>([
  ["that stays", false, bindingResource({ status: ready })],
  ["that is being deleted", true, bindingResource({ metadata: deleted })],
  ["whose grant expires now", true, bindingResource({ spec: { expiresAt }, status: ready }), expiry],
  ["whose grant expires soon", false, bindingResource({ spec: { expiresAt }, status: ready }), expiry - 1],
  ["that expired without a grant", false, bindingResource({ spec: { expiresAt } }), expiry],
  [
    "that expired and only observed",
    false,
    bindingResource({ spec: { expiresAt }, status: { ...ready, management: "Observed" } }),
    expiry,
  ],
  ["that was reported as Expired", true, bindingResource({ status: notReady("Expired", { uid }) })],
  ["that was reported as something else", false, bindingResource({ status: notReady("Conflict", { uid }) })],
])("an object %s ends: %s", (_, ends, resource, wallClock) => {
  expect(asked(resource, wallClock)).toEqual({ resource, ends });
});

it("what this process created under another Tenant is deleted under that", () => {
  const posted = { posted: { naturalKey: "", tenant: "earlier" } };
  const resource = bindingResource({ metadata: deleted });
  expect(asked(resource, 0, posted)?.resource.status).toEqual({ observedGeneration: -1, tenant: "earlier" });
  expect(asked(resource)?.resource).toBe(resource);
  expect(asked(resource, 0, { posted: { naturalKey: "" } })?.resource).toBe(resource);
  const staying = bindingResource();
  expect(asked(staying, 0, posted)?.resource).toBe(staying);
  const recorded = bindingResource({ metadata: deleted, status: ready });
  expect(asked(recorded, 0, posted)?.resource).toBe(recorded);
  const reported = bindingResource({ metadata: deleted, status: { observedGeneration: 3, tenant: "now" } });
  expect(asked(reported, 0, posted)?.resource.status).toEqual({ observedGeneration: 3, tenant: "earlier" });
});
