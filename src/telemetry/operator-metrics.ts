import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { registerBuildInfo } from "./build-info-metric.ts";

/** Upper bounds in seconds, from 1 ms to 1 min: controller-runtime's buckets, thinned out. */
const durationBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const waitBuckets = [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type ReconcileResult = "success" | "requeue_after" | "error";

/** Durations in seconds. */
export interface QueueAges {
  /** Since the key that waits the longest became ready; 0 if none waits. */
  readonly oldestReady: number;
  /** Since the longest run began; 0 if there is none. */
  readonly longestRun: number;
  /** Since each run began, in total. */
  readonly allRuns: number;
}

/**
 * The operator's metrics. Those that other controllers have too use the names that dashboards know. Labels are kinds,
 * methods, codes and reasons, never the name of an object. It implements the metrics interfaces of `Controller` and
 * `WorkQueue`.
 */
export class OperatorMetrics {
  readonly #registry = new Registry();

  readonly #reconciles = this.#counter("controller_runtime_reconcile_total", "Total number of reconciles by result.", [
    "controller",
    "result",
  ]);
  readonly #reconcileErrors = this.#counter(
    "controller_runtime_reconcile_errors_total",
    "Total number of failed reconciles.",
    ["controller"],
  );
  readonly #reconcileTime = this.#histogram(
    "controller_runtime_reconcile_time_seconds",
    "Duration of a reconcile.",
    ["controller"],
    durationBuckets,
  );
  readonly #activeWorkers = this.#gauge("controller_runtime_active_workers", "Number of reconciles in progress.", [
    "controller",
  ]);
  readonly #depth = this.#gauge("workqueue_depth", "Number of keys that are ready and wait for a worker.", ["name"]);
  readonly #adds = this.#counter("workqueue_adds_total", "Total number of keys added.", ["name"]);
  readonly #waits = this.#histogram(
    "workqueue_queue_duration_seconds",
    "How long a key was ready before a worker took it.",
    ["name"],
    waitBuckets,
  );
  readonly #work = this.#histogram(
    "workqueue_work_duration_seconds",
    "How long a worker processed a key.",
    ["name"],
    durationBuckets,
  );
  readonly #retries = this.#counter(
    "workqueue_retries_total",
    "Total number of keys that were added again after a failure.",
    ["name"],
  );
  readonly #longestRun = this.#gauge(
    "workqueue_longest_running_processor_seconds",
    "How long the longest reconcile in progress has been running.",
    ["name"],
  );
  readonly #unfinished = this.#gauge(
    "workqueue_unfinished_work_seconds",
    "How long all reconciles in progress have been running, in total.",
    ["name"],
  );
  readonly #oldestWait = this.#gauge(
    "muster_queue_oldest_age_seconds",
    "How long the key that has waited the longest for a worker has been ready; 0 if no key waits.",
    ["name"],
  );
  readonly #kubeRequests = this.#counter(
    "rest_client_requests_total",
    "Total number of requests to the Kubernetes API server.",
    ["method", "code"],
  );
  readonly #leader = this.#gauge("leader_election_master_status", "1 while this process is the leader, otherwise 0.", [
    "name",
  ]);

  readonly watchFailures = this.#counter(
    "muster_watch_failures_total",
    "Total number of failed lists and watches of Kubernetes objects. Each is retried.",
    ["kind"],
  );
  readonly eventsDropped = this.#counter(
    "muster_events_dropped_total",
    "Total number of Events that were not written, by reason: the queue was full, they waited too long (expired), or the write failed.",
    ["reason"],
  );
  readonly platformRequests = this.#counter(
    "muster_platform_requests_total",
    "Total number of requests to the platform.",
    ["kind", "method", "code"],
  );
  readonly platformRequestDuration = this.#histogram(
    "muster_platform_request_duration_seconds",
    "Duration of a request to the platform.",
    ["kind", "method"],
    durationBuckets,
  );
  readonly tokenExchanges = this.#counter(
    "muster_token_exchanges_total",
    "Total number of token exchanges by result.",
    ["result"],
  );
  readonly credentials = this.#gauge(
    "muster_credentials",
    "Number of credentials in use: the operator's, and one for each Tenant with credentials of its own.",
    ["credential"],
  );
  readonly callsSuspended = this.#gauge(
    "muster_calls_suspended",
    "Number of credentials whose calls to the platform are suspended because of an outage: all calls, or only writes. The class says what fails: the platform, the token service, the token, or its exchange.",
    ["credential", "calls", "class"],
  );
  readonly tokenExpiry = this.#gauge(
    "muster_token_expiry_timestamp_seconds",
    "When the platform token that expires first does, in seconds since the epoch. A token is renewed by the first call after 80 % of its lifetime.",
    ["credential"],
  );
  readonly resyncInterval = this.#gauge(
    "muster_resync_interval_seconds",
    "The mean time between two resyncs (--resync).",
    [],
  );
  readonly objects = this.#gauge(
    "muster_objects",
    "Number of custom resources by status and reason of their Ready condition.",
    ["kind", "ready", "reason"],
  );
  readonly oldestUnready = this.#gauge(
    "muster_oldest_unready_age_seconds",
    "How long the custom resource that has been unready for the longest has been so, by the reason of its Ready condition.",
    ["kind", "reason"],
  );
  readonly timeToReady = this.#histogram(
    "muster_time_to_ready_seconds",
    "Time from the creation of a custom resource until it was Ready for the first time.",
    ["kind"],
    waitBuckets,
  );
  readonly drift = this.#counter(
    "muster_drift_total",
    "Total number of resources that differed from their custom resource, by result: detected or corrected.",
    ["kind", "result"],
  );
  readonly snapshotAge = this.#gauge(
    "muster_snapshot_age_seconds",
    "Age of the last complete list of the platform's resources.",
    ["kind"],
  );
  readonly orphans = this.#gauge(
    "muster_orphans",
    "Number of platform resources that have our marker but no custom resource.",
    ["kind"],
  );
  readonly undeclared = this.#gauge(
    "muster_undeclared",
    "Number of platform resources that no custom resource declares, in the groups that custom resources use and above them.",
    ["kind"],
  );
  readonly abandoned = this.#counter(
    "muster_abandoned_total",
    "Total number of objects that were abandoned, and left what they created on the platform.",
    ["kind"],
  );
  readonly ownerInfo = this.#gauge(
    "muster_owner_info",
    "Always 1; the label is the owner id that marks platform resources as managed by this operator.",
    ["owner_id"],
  );
  readonly tenants = this.#gauge("muster_tenants", "Number of Tenants by status and reason of their Ready condition.", [
    "ready",
    "reason",
  ]);
  readonly breaker = this.#gauge(
    "muster_breaker",
    "Number of platform resources whose re-creation, or whose removal, waits for a confirmation because there are many of them at once.",
    [],
  );

  readonly kindReadable = this.#gauge(
    "muster_kind_readable",
    "1 if the objects of the kind could be listed when that was last tried; 0 if a permission or the CRD is missing.",
    ["kind"],
  );
  readonly kubernetesRefused = this.#gauge(
    "muster_kubernetes_refused",
    "Number of custom resources for which Kubernetes refuses a step: a missing permission, a quota, an admission policy.",
    ["kind", "step"],
  );

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    registerBuildInfo(this.#registry);
  }

  readonly #collectors: (() => void)[] = [];
  // They change several times in each reconcile, so their gauges are set when they are scraped.
  readonly #currentWorkers = new Map<string, number>();
  readonly #currentDepth = new Map<string, number>();

  /** Calls `collect` before each scrape, to set gauges that would cost too much to keep current. */
  onScrape(collect: () => void): void {
    this.#collectors.push(collect);
  }

  /** All metrics, in the text format of Prometheus. */
  text(): Promise<string> {
    for (const [controller, workers] of this.#currentWorkers) this.#activeWorkers.set({ controller }, workers);
    for (const [name, keys] of this.#currentDepth) this.#depth.set({ name }, keys);
    for (const collect of this.#collectors) collect();
    return this.#registry.metrics();
  }

  /** Every metric, for its reference page. */
  get registry(): Registry {
    return this.#registry;
  }

  /** Sets what a scrape reports of the keys that wait in a queue, and of those that are being processed. */
  queueAges(name: string, { oldestReady, longestRun, allRuns }: QueueAges): void {
    this.#oldestWait.set({ name }, oldestReady);
    this.#longestRun.set({ name }, longestRun);
    this.#unfinished.set({ name }, allRuns);
  }

  leading(lease: string, isLeader: boolean): void {
    this.#leader.set({ name: lease }, isLeader ? 1 : 0);
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
    // From 0, so that the first failure is an increase: `rate` does not see the first sample of a series.
    if (!this.#currentWorkers.has(controller)) this.#reconcileErrors.inc({ controller }, 0);
    this.#currentWorkers.set(controller, workers);
  }

  retried(name: string): void {
    this.#retries.inc({ name });
  }

  depth(name: string, keys: number): void {
    this.#currentDepth.set(name, keys);
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
