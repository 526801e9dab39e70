import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** From 1 ms to 1 min, as controller-runtime has them in short. */
const durations = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const waits = [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * The operator's metrics, under the names that dashboards know where there are such. Labels hold kinds, methods, codes
 * and reasons, never the name of an object.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge<L>({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: number[]) =>
    new Histogram<L>({ name, help, labelNames, buckets, registers });

  const reconciles = counter("controller_runtime_reconcile_total", "Reconciles by result.", ["controller", "result"]);
  const reconcileErrors = counter("controller_runtime_reconcile_errors_total", "Reconciles that failed.", [
    "controller",
  ]);
  const reconcileTime = histogram(
    "controller_runtime_reconcile_time_seconds",
    "Length of a reconcile.",
    ["controller"],
    durations,
  );
  const activeWorkers = gauge("controller_runtime_active_workers", "Reconciles under way.", ["controller"]);
  const depth = gauge("workqueue_depth", "Keys that are ready and wait for a worker.", ["name"]);
  const adds = counter("workqueue_adds_total", "Keys added.", ["name"]);
  const queued = histogram(
    "workqueue_queue_duration_seconds",
    "How long keys were ready before a worker took them.",
    ["name"],
    waits,
  );
  const worked = histogram("workqueue_work_duration_seconds", "How long workers had keys.", ["name"], durations);
  const retries = counter("workqueue_retries_total", "Keys added again after a failure.", ["name"]);
  const kubeRequests = counter("rest_client_requests_total", "Requests to Kubernetes.", ["method", "code"]);

  return {
    registry,
    /** For `Controller` and `WorkQueue`. */
    controller: {
      reconciled(controller: string, result: "success" | "requeue_after" | "error", seconds: number): void {
        reconciles.inc({ controller, result });
        if (result === "error") reconcileErrors.inc({ controller });
        reconcileTime.observe({ controller }, seconds);
      },
      activeWorkers: (controller: string, workers: number): void => activeWorkers.set({ controller }, workers),
      retried: (name: string): void => retries.inc({ name }),
      depth: (name: string, keys: number): void => depth.set({ name }, keys),
      added: (name: string): void => adds.inc({ name }),
      waited: (name: string, seconds: number): void => queued.observe({ name }, seconds),
      worked: (name: string, seconds: number): void => worked.observe({ name }, seconds),
    },
    /** For `KubeClient`'s `observe`. */
    kubeCall: ({ method, code }: { readonly method: string; readonly code: string }): void =>
      kubeRequests.inc({ method, code }),
    leader: gauge("leader_election_master_status", "1 while this process leads.", ["name"]),
    eventsDropped: counter("muster_events_dropped_total", "Events that were not written.", ["why"]),
    platformRequests: counter("muster_platform_requests_total", "Requests to the platform.", [
      "kind",
      "method",
      "code",
    ]),
    platformRequestDuration: histogram(
      "muster_platform_request_duration_seconds",
      "Length of a request to the platform.",
      ["kind", "method"],
      durations,
    ),
    tokenExchanges: counter("muster_token_exchanges_total", "Token exchanges by result.", ["result"]),
    objects: gauge("muster_objects", "Custom resources by their Ready condition.", ["kind", "ready", "reason"]),
    timeToReady: histogram(
      "muster_time_to_ready_seconds",
      "From creation to Ready for the first time.",
      ["kind"],
      waits,
    ),
    drift: counter("muster_drift_total", "Differences found by the drift pass.", ["kind", "result"]),
    snapshotAge: gauge("muster_snapshot_age_seconds", "Age of the last complete list of the platform.", ["kind"]),
    orphans: gauge("muster_orphans", "Things with our marker and no custom resource.", ["kind"]),
    breaker: gauge("muster_breaker", "1 while too much has disappeared at once for it to be created anew.", ["kind"]),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
