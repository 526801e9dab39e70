import { expect, it } from "vitest";
import { PerKind } from "#src/kinds/per-kind.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { ResourceStore } from "#src/reconcile/observe/cached-resource.ts";
import { Breakers } from "#src/reconcile/observe/breakers.ts";
import { ReconcileStates } from "#src/reconcile/observe/reconcile-states.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { TenantStore } from "#src/reconcile/tenancy/live-tenancy.ts";
import { createLog } from "#src/telemetry/log.ts";
import { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import { OperatorTelemetry } from "./telemetry.ts";

const ready = { conditions: [{ type: "Ready", status: "True", reason: "Available" }] };

it("counts neither Tenants of another class nor their objects", async () => {
  const metrics = new OperatorMetrics();
  const telemetry = new OperatorTelemetry(createLog({ level: "error" }), metrics);
  const objects = ["ours", "ours", "theirs"].map((namespace) => ({
    resource: { metadata: { namespace, name: "one" }, status: ready },
  }));
  const tenants = ["", "blue", "blue"].map((one) => ({ class: one, status: ready }));
  const sources = {
    kinds: kinds.slice(0, 1),
    stores: new PerKind(kinds, () => ({ values: () => objects }) as unknown as ResourceStore),
    states: new PerKind(kinds, () => new ReconcileStates()),
    breakers: new Breakers(() => "id"),
    tenancy: {
      sessions: [],
      contexts: [],
      governanceOf: ({ metadata }: { readonly metadata: { readonly namespace: string } }) => ({
        by: metadata.namespace === "ours" ? "none" : "unserved",
      }),
    },
  } as unknown as Sources;
  const served = { tenants: { values: () => tenants } as unknown as TenantStore, class: "blue" };
  telemetry.watchSources(sources, served, { counts: () => new Map(), heldRemovalsIn: () => 0 });
  const text = await metrics.text();
  expect(text).toContain(`muster_objects{kind="${kinds[0]?.name ?? ""}",ready="True",reason="Available"} 2`);
  expect(text).toContain('muster_tenants{ready="True",reason="Available"} 2');
});
