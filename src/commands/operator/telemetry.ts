import type { KindName, Resource } from "#src/api/resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { KubeError } from "#src/kube/errors.ts";
import type { ReflectorReport } from "#src/kube/reflector.ts";
import type { Logger } from "#src/telemetry/log.ts";
import type { Metrics } from "#src/telemetry/metrics.ts";
import type { PlatformFailure } from "#src/platform-client/failure.ts";
import type { CollectionName } from "#src/platform-client/external-resource.ts";
import type { HttpCall } from "#src/platform-client/transport.ts";
import { findOrphans } from "#src/reconcile/resync.ts";
import { markerIn } from "#src/kinds/marker.ts";
import { markersOf } from "#src/reconcile/observe/observe.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { ReconcileTelemetry } from "#src/reconcile/reconciler.ts";
import type { Step } from "#src/reconcile/policy/step.ts";
import type { ReconcileFailure } from "#src/runtime/controller.ts";

const kindNames = Object.keys(kinds) as KindName[];

/** Where the operator's parts tell what they do: turned into log lines and metrics in one place. */
export class OperatorTelemetry implements ReconcileTelemetry {
  readonly metrics: Metrics;
  readonly #log: Logger;

  constructor(log: Logger, metrics: Metrics) {
    this.#log = log;
    this.metrics = metrics;
  }

  performed(observed: Observed, step: Step): void {
    const { resource } = observed;
    this.#log.debug({ ...nameOf(resource), step: step.do }, "step performed");
    if (step.do === "create" || step.do === "delete" || step.do === "update")
      this.#log.info(
        { ...nameOf(resource), step: step.do, ...("uid" in step ? { uid: step.uid } : { parent: step.parent }) },
        "platform changed",
      );
    if (step.do === "update" && step.correction) this.metrics.drift.inc({ kind: resource.kind, result: "corrected" });
    if (step.do === "writeStatus") this.#statusWritten(observed, step);
  }

  failed({ resource }: Observed, step: Step, error: PlatformFailure, retryInMs: number): void {
    this.#log.warn(
      { ...nameOf(resource), step: step.do, err: plain(error), retryInMs: Math.round(retryInMs) },
      "the platform did not do it",
    );
  }

  statusForbidden({ resource }: Observed): void {
    this.#log.info(
      nameOf(resource),
      "its status may not be written, as while its namespace is being deleted; its deletion goes on",
    );
  }

  reconcileFailed({ controller, key, error, retryInMs }: ReconcileFailure): void {
    const err = error instanceof KubeError ? plain(error) : error;
    this.#log.warn({ controller, key, err, retryInMs: Math.round(retryInMs) }, "reconcile failed");
  }

  reflector(kind: KindName, namespace: string, report: ReflectorReport): void {
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
        this.#log.info(where, "the version to watch from is gone; listing again");
        break;
      case "failed":
        this.#log.warn(
          { ...where, step: report.step, err: report.error, retryInMs: Math.round(report.retryInMs) },
          "the watch is down; trying again",
        );
        break;
      case "skipped":
        this.#log.error({ ...where, err: report.error }, "an object could not be taken in");
    }
  }

  platformCall(call: HttpCall, outcome: string, seconds: number): void {
    if (call.name === "exchange token") this.metrics.tokenExchanges.inc({ result: outcome });
    const kind = call.name.split(" ").at(-1) ?? "";
    this.metrics.platformRequests.inc({ kind, method: call.method, code: outcome });
    this.metrics.platformRequestDuration.observe({ kind, method: call.method }, seconds);
  }

  eventDropped(why: "full" | "failed", error?: unknown): void {
    this.metrics.eventsDropped.inc({ why });
    if (error !== undefined) this.#log.debug({ err: error }, "an event was not written");
  }

  /** A pass of one collection is over: what is ours and has no resource is told, and never touched. */
  resynced(sources: Sources, collection: CollectionName, seconds: number): void {
    const kind = kindNames.find((name) => kinds[name].collection === collection);
    if (kind === undefined) return;
    this.#log.debug({ kind, seconds }, "the platform was listed");
    if (!kinds[kind].marked) return;
    const known = new Set([...sources.stores[kind].values()].flatMap((held) => markersOf(sources.owners, held)));
    const orphans = findOrphans(
      sources.tenancy.contexts.flatMap(({ session }) => [...session.views[collection].rows()]),
      (row) => ("description" in row ? markerIn(row.description) : undefined),
      sources.owners,
      known,
    );
    this.metrics.orphans.set({ kind }, orphans.length);
    if (orphans.length > 0)
      this.#log.warn(
        { kind, count: orphans.length, uids: orphans.slice(0, 20) },
        "things with our marker have no custom resource; they are left alone",
      );
  }

  resyncFailed(collection: CollectionName, root: string, error: unknown): void {
    this.#log.warn({ collection, root, err: plain(error) }, "the platform could not be listed");
  }

  /** Gauges are read when they are asked for, so that they cost nothing between. */
  watchSources(sources: Sources): void {
    this.metrics.onScrape(() => {
      const { objects, breaker, snapshotAge } = this.metrics;
      objects.reset();
      for (const kind of kindNames) {
        for (const { resource } of sources.stores[kind].values()) {
          const ready = resource.status?.conditions?.find((condition) => condition.type === "Ready");
          objects.inc({ kind, ready: ready?.status ?? "Unknown", reason: ready?.reason ?? "" });
        }
        const listings = sources.tenancy.contexts.flatMap(({ session, boundary }) =>
          boundary.roots.flatMap((root) => session.views[kinds[kind].collection].snapshotOf(root)?.startedAt ?? []),
        );
        if (listings.length > 0) snapshotAge.set({ kind }, (sources.clock.monotonic() - Math.min(...listings)) / 1000);
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

/** That another server refuses is no surprise: a stack would only fill the log. */
function plain(error: unknown): unknown {
  if (error instanceof Error) delete error.stack;
  return error;
}
