import { expect, it } from "vitest";
import { seconds } from "#src/time/durations.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { Breakers } from "#src/reconcile/observe/breakers.ts";
import { ReconcileStates } from "#src/reconcile/observe/reconcile-states.ts";
import { newResourceStores, type ResourceStores } from "#src/reconcile/observe/resource-stores.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { TenantStore } from "#src/reconcile/tenancy/live-tenancy.ts";
import { createLog } from "#src/telemetry/log.ts";
import { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import {
  groupResource,
  notReady,
  observed,
  ready as readyGroup,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { OperatorTelemetry } from "./telemetry.ts";

const ready = { conditions: [{ type: "Ready", status: "True", reason: "Available" }] };

/** Stores of which that of the first kind has these objects. */
function storesOf(objects: readonly object[]): ResourceStores {
  const stores = newResourceStores(kinds);
  list(stores, objects, "5");
  return stores;
}

function list(stores: ResourceStores, objects: readonly object[], resourceVersion: string): void {
  const listed = { namespace: undefined, objects: objects as readonly KubeObject[], resourceVersion };
  stores.get(kinds[0]?.name ?? "").replace({ ...listed, versionAtStart: "0" });
}

it("counts neither Tenants of another class nor their objects", async () => {
  const metrics = new OperatorMetrics();
  const telemetry = new OperatorTelemetry(createLog({ level: "error" }), metrics);
  const stores = storesOf(
    ["ours", "ours", "theirs"].map((namespace, index) => ({
      metadata: { namespace, name: String(index) },
      status: ready,
    })),
  );
  const tenants = ["", "blue", "blue"].map((one) => ({ class: one, status: ready }));
  const sources = {
    kinds: kinds.slice(0, 1),
    stores,
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

it("shows since when the object that has been unready for the longest has been so, by reason", async () => {
  const metrics = new OperatorMetrics();
  const telemetry = new OperatorTelemetry(createLog({ level: "error" }), metrics);
  const clock = new ManualClock(seconds(1_000));
  const at = (time: number) => new Date(seconds(time)).toISOString();
  const since = (status: string, reason: string, time: number) => ({
    conditions: [{ type: "Ready", status, reason, lastTransitionTime: at(time) }],
  });
  const statuses = [
    since("False", "Conflict", 700),
    since("False", "Conflict", 400),
    since("Unknown", "Paused", 900),
    since("True", "Available", 1),
    undefined,
  ];
  const objects = statuses.map((status, index) => ({
    metadata: { namespace: "team", name: String(index), creationTimestamp: at(990) },
    ...(status === undefined ? {} : { status }),
  }));
  const stores = storesOf(objects);
  const sources = {
    kinds: kinds.slice(0, 1),
    stores,
    states: new PerKind(kinds, () => new ReconcileStates()),
    breakers: new Breakers(() => "id"),
    tenancy: { sessions: [], contexts: [], governanceOf: () => ({ by: "none" }) },
    clock,
  } as unknown as Sources;
  const served = { tenants: { values: () => [] } as unknown as TenantStore, class: "" };
  telemetry.watchSources(sources, served, { counts: () => new Map(), heldRemovalsIn: () => 0 });
  const ages = () => metrics.text().then((text) => text.match(/(?<=^muster_oldest_unready_age_seconds).*/gm));
  expect(await ages()).toEqual([
    '{kind="Group",reason="Conflict"} 600',
    '{kind="Group",reason="Paused"} 100',
    // It has no status yet.
    '{kind="Group",reason="NoStatus"} 10',
  ]);
  list(stores, objects.slice(3), "6");
  expect(await ages()).toEqual(['{kind="Group",reason="NoStatus"} 10']);
});

it.each([
  ["created or observed", undefined, 1],
  ["adopted, and recorded before it was Ready", { ...notReady("Updating"), uid: "a/b", management: "Adopted" }, 1],
  ["Ready again", { ...notReady("Conflict"), lastSyncTime: "2026-01-01T00:00:01Z", uid: "a/b" }, 0],
  ["re-created", { ...notReady("ExternalGone"), lastSyncTime: "2026-01-01T00:00:01Z" }, 0],
])("measures the time to Ready of an object that is %s", async (_, status, count) => {
  const metrics = new OperatorMetrics();
  const telemetry = new OperatorTelemetry(createLog({ level: "error" }), metrics);
  const resource = groupResource(status === undefined ? {} : { status });
  telemetry.performed(observed({ resource }), {
    do: "writeStatus",
    patch: { conditions: [...(readyGroup.conditions ?? [])], lastSyncTime: "2026-01-01T00:00:02Z" },
  });
  const text = await metrics.text();
  const found = /muster_time_to_ready_seconds_count\{kind="Group"\} (\d+)/.exec(text)?.[1] ?? "0";
  expect(Number(found)).toBe(count);
});

it("warns of a platform that may still be starting, and logs an error if it stays away, or refuses the credential", () => {
  const lines: { readonly level: string; readonly msg: string }[] = [];
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
  const telemetry = new OperatorTelemetry(createLog({ level: "warn", destination }), new OperatorMetrics());
  const away = { kind: "credential", cause: "unavailable", message: "connection refused" } as const;
  const failed = { is: "failed", problem: away, hasWorked: false, mayBeStarting: true } as const;
  telemetry.sessionChecked(undefined, failed);
  telemetry.sessionChecked(undefined, { ...failed, mayBeStarting: false });
  const refused = { kind: "credential", cause: "exchange", message: "refused" } as const;
  telemetry.sessionChecked("shop", { ...failed, problem: refused, mayBeStarting: false });
  expect(lines.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
    "warn: the platform does not respond yet; the credential is checked again",
    "error: credential does not work",
    "error: credential does not work",
  ]);
});
