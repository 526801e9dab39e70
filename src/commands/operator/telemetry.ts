import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { isNotFound, KubeError } from "#src/kube/errors.ts";
import type { DropReason } from "#src/kube/event-recorder.ts";
import type { ReflectorReport } from "#src/kube/reflector.ts";
import type { Logger } from "#src/telemetry/log.ts";
import type { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import type { PlatformFailure } from "#src/platform-client/failure.ts";
import type { HttpCall } from "#src/platform-client/transport.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { ReconcileTelemetry } from "#src/reconcile/reconciler.ts";
import type { Step } from "#src/reconcile/policy/step.ts";
import type { ReconcileFailure } from "#src/runtime/controller.ts";

/** Receives the reports of the operator's parts and turns them into log lines and metrics, all in one place. */
export class OperatorTelemetry implements ReconcileTelemetry {
  readonly metrics: OperatorMetrics;
  readonly #log: Logger;

  constructor(log: Logger, metrics: OperatorMetrics) {
    this.#log = log;
    this.metrics = metrics;
  }

  performed(observed: Observed, step: Step): void {
    const { resource } = observed;
    this.#log.debug({ ...nameOf(resource), step: step.do }, "step performed");
    if (step.do === "create" || step.do === "delete" || step.do === "update" || step.do === "removeUndeclared")
      this.#log.info(
        { ...nameOf(resource), step: step.do, ...("uid" in step ? { uid: step.uid } : { parent: step.parent }) },
        "platform changed",
      );
    if (step.do === "update" && step.correction) this.metrics.drift.inc({ kind: resource.kind, result: "corrected" });
    if (step.do === "writeStatus") this.#statusWritten(observed, step);
  }

  failed({ resource }: Observed, step: Step, error: PlatformFailure, retryInMs: number): void {
    this.#log.warn(
      { ...nameOf(resource), step: step.do, err: withoutStack(error), retryInMs: Math.round(retryInMs) },
      "platform call failed",
    );
  }

  statusForbidden({ resource }: Observed): void {
    this.#log.info(
      nameOf(resource),
      "status update forbidden, for example because the namespace is being deleted; deletion continues",
    );
  }

  reconcileFailed({ controller, key, error, retryInMs }: ReconcileFailure): void {
    const err = error instanceof KubeError ? withoutStack(error) : error;
    this.#log.warn({ controller, key, err, retryInMs: Math.round(retryInMs) }, "reconcile failed");
  }

  reflector(kind: string, namespace: string, report: ReflectorReport): void {
    const where = { kind, namespace };
    switch (report.type) {
      case "listed":
        this.#log.info(
          { ...where, objects: report.objects, durationMs: Math.round(report.durationMs) },
          "objects listed",
        );
        break;
      case "watching":
        this.#log.debug(where, "watching");
        break;
      case "expired":
        this.#log.info(where, "resource version expired; listing again");
        break;
      case "failed":
        this.#log.warn(
          { ...where, step: report.step, err: report.error, retryInMs: Math.round(report.retryInMs) },
          report.step === "list" && isNotFound(report.error)
            ? "the API server does not serve this kind; apply the CustomResourceDefinitions in crds/"
            : "watch failed",
        );
        break;
      case "skipped":
        this.#log.error({ ...where, err: report.error }, "invalid object skipped");
    }
  }

  platformCall(call: HttpCall, outcome: string, seconds: number): void {
    if (call.name === "exchange token") this.metrics.tokenExchanges.inc({ result: outcome });
    const kind = call.name.split(" ").at(-1) ?? "";
    this.metrics.platformRequests.inc({ kind, method: call.method, code: outcome });
    this.metrics.platformRequestDuration.observe({ kind, method: call.method }, seconds);
  }

  eventsDropped(reason: DropReason, events: number, error?: unknown): void {
    this.metrics.eventsDropped.inc({ reason }, events);
    if (error !== undefined) this.#log.debug({ reason, events, err: error }, "events dropped");
  }

  /** Reports one finished resync of a kind, and the uids of its orphans. */
  resynced({ name: kind, hasMarker }: Kind, seconds: number, orphans: readonly string[]): void {
    this.#log.debug({ kind, seconds }, "platform listed");
    if (!hasMarker) return;
    this.metrics.orphans.set({ kind }, orphans.length);
    if (orphans.length > 0)
      this.#log.warn({ kind, count: orphans.length, uids: orphans.slice(0, 20) }, "orphaned platform resources found");
  }

  resyncFailed({ collection }: Kind, root: string, error: unknown): void {
    this.#log.warn({ collection: collection.name, root, err: withoutStack(error) }, "resync failed");
  }

  /** Computes the gauges at each scrape, so that they cost nothing between scrapes. */
  watchSources(sources: Sources, undeclaredCounts: () => ReadonlyMap<string, number>): void {
    this.metrics.onScrape(() => {
      const { objects, breaker, snapshotAge, undeclared } = this.metrics;
      for (const [kind, count] of undeclaredCounts()) undeclared.set({ kind }, count);
      objects.reset();
      for (const { name: kind, collection } of sources.kinds) {
        for (const { resource } of sources.stores.get(kind).values()) {
          const ready = resource.status?.conditions?.find((condition) => condition.type === "Ready");
          objects.inc({ kind, ready: ready?.status ?? "Unknown", reason: ready?.reason ?? "" });
        }
        const startTimes = Array.from(sources.tenancy.sessions).flatMap((session) =>
          session.roots.flatMap((root) => session.viewOf(collection).snapshotOf(root)?.startedAt ?? []),
        );
        if (startTimes.length > 0)
          snapshotAge.set({ kind }, (sources.clock.monotonic() - Math.min(...startTimes)) / 1000);
      }
      breaker.set(sources.breaker.size);
    });
  }

  #statusWritten({ resource, wallClock }: Observed, step: Extract<Step, { do: "writeStatus" }>): void {
    const ready = step.patch.conditions?.find((condition) => condition.type === "Ready");
    if (ready === undefined) return;
    if (ready.reason === "DriftDetected") this.metrics.drift.inc({ kind: resource.kind, result: "detected" });
    const { creationTimestamp } = resource.metadata;
    if (ready.status === "True" && resource.status?.uid === undefined && creationTimestamp !== undefined)
      this.metrics.timeToReady.observe({ kind: resource.kind }, (wallClock - Date.parse(creationTimestamp)) / 1000);
    if (ready.status === "False")
      this.#log.info({ ...nameOf(resource), reason: ready.reason, message: ready.message }, "not ready");
  }
}

function nameOf({ kind, metadata }: Resource): {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
} {
  return { kind, namespace: metadata.namespace, name: metadata.name };
}

/** Removes the stack, which says nothing about an error that another server returned. */
function withoutStack(error: unknown): unknown {
  if (error instanceof Error) delete error.stack;
  return error;
}
