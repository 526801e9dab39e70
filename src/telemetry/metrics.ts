import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** From 1 ms to 1 min, as controller-runtime has them in short. */
const durations = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const waits = [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type ReconcileResult = "success" | "requeue_after" | "error";

/**
 * The operator's metrics, under the names that dashboards know where there are such. Labels hold kinds, methods, codes
 * and reasons, never the name of an object. It has the shape that `Controller` and `WorkQueue` tell theirs to.
 */
export class Metrics {
  readonly #registry = new Registry();

  readonly #reconciles = this.#counter("controller_runtime_reconcile_total", "Reconciles by result.", [
    "controller",
    "result",
  ]);
  readonly #reconcileErrors = this.#counter("controller_runtime_reconcile_errors_total", "Reconciles that failed.", [
    "controller",
  ]);
  readonly #reconcileTime = this.#histogram(
    "controller_runtime_reconcile_time_seconds",
    "Length of a reconcile.",
    ["controller"],
    durations,
  );
  readonly #activeWorkers = this.#gauge("controller_runtime_active_workers", "Reconciles under way.", ["controller"]);
  readonly #depth = this.#gauge("workqueue_depth", "Keys that are ready and wait for a worker.", ["name"]);
  readonly #adds = this.#counter("workqueue_adds_total", "Keys added.", ["name"]);
  readonly #waits = this.#histogram(
    "workqueue_queue_duration_seconds",
    "How long keys were ready before a worker took them.",
    ["name"],
    waits,
  );
  readonly #work = this.#histogram(
    "workqueue_work_duration_seconds",
    "How long workers had keys.",
    ["name"],
    durations,
  );
  readonly #retries = this.#counter("workqueue_retries_total", "Keys added again after a failure.", ["name"]);
  readonly #kubeRequests = this.#counter("rest_client_requests_total", "Requests to Kubernetes.", ["method", "code"]);
  readonly #leader = this.#gauge("leader_election_master_status", "1 while this process leads.", ["name"]);

  readonly eventsDropped = this.#counter(
    "muster_events_dropped_total",
    "Events that were not written, by reason: the queue was full, they had waited too long (expired), or the write failed.",
    ["reason"],
  );
  readonly platformRequests = this.#counter("muster_platform_requests_total", "Requests to the platform.", [
    "kind",
    "method",
    "code",
  ]);
  readonly platformRequestDuration = this.#histogram(
    "muster_platform_request_duration_seconds",
    "Length of a request to the platform.",
    ["kind", "method"],
    durations,
  );
  readonly tokenExchanges = this.#counter("muster_token_exchanges_total", "Token exchanges by result.", ["result"]);
  readonly objects = this.#gauge("muster_objects", "Custom resources by their Ready condition.", [
    "kind",
    "ready",
    "reason",
  ]);
  readonly timeToReady = this.#histogram(
    "muster_time_to_ready_seconds",
    "From creation to Ready for the first time.",
    ["kind"],
    waits,
  );
  readonly drift = this.#counter("muster_drift_total", "Differences found on the platform.", ["kind", "result"]);
  readonly snapshotAge = this.#gauge("muster_snapshot_age_seconds", "Age of the last complete list.", ["kind"]);
  readonly orphans = this.#gauge("muster_orphans", "Things with our marker and no custom resource.", ["kind"]);
  readonly breaker = this.#gauge(
    "muster_breaker",
    "Things gone from the platform that are not made anew without being asked, because many went at once.",
    [],
  );

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  readonly #collectors: (() => void)[] = [];

  /** Sets gauges when they are asked for, so that they cost nothing between. */
  onScrape(collect: () => void): void {
    this.#collectors.push(collect);
  }

  /** All of them, in the text format of Prometheus. */
  text(): Promise<string> {
    for (const collect of this.#collectors) collect();
    return this.#registry.metrics();
  }

  leading(lease: string, leads: boolean): void {
    this.#leader.set({ name: lease }, leads ? 1 : 0);
  }

  kubernetesCall({ method, code }: { readonly method: string; readonly code: string }): void {
    this.#kubeRequests.inc({ method, code });
  }

  reconciled(controller: string, result: ReconcileResult, seconds: number): void {
    this.#reconciles.inc({ controller, result });
    if (result === "error") this.#reconcileErrors.inc({ controller });
    this.#reconcileTime.observe({ controller }, seconds);
  }

  activeWorkers(controller: string, workers: number): void {
    this.#activeWorkers.set({ controller }, workers);
  }

  retried(name: string): void {
    this.#retries.inc({ name });
  }

  depth(name: string, keys: number): void {
    this.#depth.set({ name }, keys);
  }

  added(name: string): void {
    this.#adds.inc({ name });
  }

  waited(name: string, seconds: number): void {
    this.#waits.observe({ name }, seconds);
  }

  worked(name: string, seconds: number): void {
    this.#work.observe({ name }, seconds);
  }

  #counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets: readonly number[],
  ): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [this.#registry] });
  }
}
