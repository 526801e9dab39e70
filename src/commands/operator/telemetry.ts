import { readyCondition } from "#src/api/condition.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { isNotFound, isUnreadable, KubeError } from "#src/kube/errors.ts";
import type { DropReason } from "#src/kube/event-recorder.ts";
import type { ReflectorReport } from "#src/kube/reflector.ts";
import type { Logger } from "#src/telemetry/log.ts";
import type { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import type { PlatformFailure } from "#src/platform-client/failure.ts";
import type { Outage } from "#src/platform-client/outage.ts";
import type { HttpCall } from "#src/platform-client/transport.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { noStatus, observeReadiness } from "#src/reconcile/observe/readiness.ts";
import type { Refusal } from "#src/reconcile/observe/reconcile-state.ts";
import { observeRefusals } from "#src/reconcile/observe/refusals.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { ReconcileTelemetry } from "#src/reconcile/reconciler.ts";
import type { SessionReport } from "#src/reconcile/tenancy/session-report.ts";
import type { UndeclaredAccess } from "#src/reconcile/undeclared/undeclared-access.ts";
import type { TenantStore } from "#src/reconcile/tenancy/live-tenancy.ts";
import { isAbandoned } from "#src/reconcile/policy/object.ts";
import type { Decision } from "#src/reconcile/policy/check.ts";
import type { KubeStep, Step } from "#src/reconcile/policy/step.ts";
import type { ReconcileFailure } from "#src/runtime/controller.ts";

/** What the settings name, and the platform does not have or does not show. */
export interface SettingsReport {
  readonly unknownRoles: readonly string[];
  readonly unreadableRoots: readonly string[];
}

/** Receives the reports of the operator's parts and turns them into log lines and metrics, all in one place. */
export class OperatorTelemetry implements ReconcileTelemetry {
  readonly metrics: OperatorMetrics;
  readonly #log: Logger;
  /** The kinds that cannot be read, as far as that was logged. */
  readonly #unreadable = new Set<string>();
  /** How many objects were abandoned, by Tenant. */
  readonly #abandoned = new Map<string, number>();

  constructor(log: Logger, metrics: OperatorMetrics) {
    this.#log = log;
    this.metrics = metrics;
  }

  decided({ resource }: Observed, { step, check }: Decision): void {
    if (this.#log.isLevelEnabled("debug"))
      this.#log.debug({ ...nameOf(resource), step: step.do, check }, "step decided");
  }

  performed(observed: Observed, step: Step): void {
    const { resource } = observed;
    if (step.do === "create" || step.do === "delete" || step.do === "update" || step.do === "removeUndeclared")
      this.#log.info(
        { ...nameOf(resource), step: step.do, ...("uid" in step ? { uid: step.uid } : { parent: step.parent }) },
        "platform changed",
      );
    if (step.do === "update" && step.correction) this.metrics.drift.inc({ kind: resource.kind, result: "corrected" });
    if (step.do === "writeStatus") this.#statusWritten(observed, step);
    if (step.do === "report") this.#log.warn({ ...nameOf(resource), left: step.event.note }, "object ends");
    if (step.do === "removeFinalizer" && isAbandoned(resource)) this.#noteAbandoned(observed);
  }

  /** How many objects of the Tenant were abandoned since the process started. */
  abandonedIn(tenant: string): number {
    return this.#abandoned.get(tenant) ?? 0;
  }

  #noteAbandoned({ resource, tenant }: Observed): void {
    this.#log.warn(nameOf(resource), "object abandoned; what it created stays on the platform");
    this.metrics.abandoned.inc({ kind: resource.kind });
    if (tenant.is === "known") this.#abandoned.set(tenant.name, this.abandonedIn(tenant.name) + 1);
  }

  failed({ resource }: Observed, step: Step, error: PlatformFailure, retryInMs: number): void {
    // The outage itself is logged once, and not for each object that waits for its end.
    const level = error.problem.kind === "suspended" ? "debug" : "warn";
    this.#log[level](
      { ...nameOf(resource), step: step.do, err: withoutStack(error), retryInMs: Math.round(retryInMs) },
      "platform call failed",
    );
  }

  /** The calls to the platform were suspended because of an outage; or, if undefined, they go again. */
  outageChanged(tenant: string | undefined, outage: Outage | undefined): void {
    const where = tenant === undefined ? {} : { tenant };
    if (outage === undefined) this.#log.info(where, "platform calls resumed");
    else this.#log.warn({ ...where, class: outage.class, problem: outage.message }, "platform calls suspended");
  }

  /** All writes but one at a time were suspended because of an outage of writes only; or, if undefined, they go again. */
  writeOutageChanged(tenant: string | undefined, outage: Outage | undefined): void {
    const where = tenant === undefined ? {} : { tenant };
    if (outage === undefined) this.#log.info(where, "platform writes resumed");
    else this.#log.warn({ ...where, class: outage.class, problem: outage.message }, "platform writes suspended");
  }

  refused({ resource }: Observed, step: KubeStep, error: KubeError, { attempts }: Refusal): void {
    // The metric counts the objects whose calls are still refused; the log names each once.
    const level = attempts === 1 ? "warn" : "debug";
    this.#log[level]({ ...nameOf(resource), step: step.do, err: withoutStack(error) }, "call refused by Kubernetes");
  }

  reconcileFailed({ controller, key, error, retryInMs }: ReconcileFailure): void {
    const err = error instanceof KubeError ? withoutStack(error) : error;
    this.#log.warn({ controller, key, err, retryInMs: Math.round(retryInMs) }, "reconcile failed");
  }

  reflector(kind: string, report: ReflectorReport): void {
    const where = { kind };
    switch (report.type) {
      case "listed":
        this.metrics.kindReadable.set({ kind }, 1);
        this.#unreadable.delete(kind);
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
        this.metrics.watchFailures.inc({ kind });
        if (isUnreadable(report.error)) this.#kindUnreadable(kind, report.error);
        else
          this.#log.warn(
            { ...where, step: report.step, err: report.error, retryInMs: Math.round(report.retryInMs) },
            "watch failed",
          );
        break;
      case "skipped":
        this.#log.error({ ...where, err: report.error }, "invalid object skipped");
    }
  }

  /** Logged once, until the kind can be read: the reflector retries for as long as that takes. */
  #kindUnreadable(kind: string, error: KubeError): void {
    this.metrics.kindReadable.set({ kind }, 0);
    if (this.#unreadable.has(kind)) return;
    this.#unreadable.add(kind);
    this.#log.error(
      { kind, err: withoutStack(error) },
      isNotFound(error)
        ? "the API server does not serve this kind; apply the CustomResourceDefinitions in crds/"
        : "the objects of this kind cannot be read; allow the operator's service account to list and watch them in all namespaces",
    );
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
  resynced({ name: kind, identification }: Kind, seconds: number, orphans: readonly string[]): void {
    this.#log.debug({ kind, seconds }, "platform listed");
    if (identification.by !== "marker") return;
    this.metrics.orphans.set({ kind }, orphans.length);
    if (orphans.length > 0)
      this.#log.warn({ kind, count: orphans.length, uids: orphans.slice(0, 20) }, "orphaned platform resources found");
  }

  resyncFailed({ collection }: Kind, root: string, error: unknown): void {
    this.#log.warn({ collection: collection.name, root, err: withoutStack(error) }, "resync failed");
  }

  /** The report of a session changed; `tenant` is undefined for the operator's own. */
  sessionChecked(tenant: string | undefined, report: SessionReport): void {
    const where = tenant === undefined ? {} : { tenant };
    if (report.is === "checked") {
      const { unreadableRoots: unreadableGroups, missingCapabilities } = report;
      this.#log.info({ ...where, unreadableGroups }, "credential works");
      if (missingCapabilities.length > 0)
        this.#log.error(
          { ...where, missingCapabilities },
          "the identity may not list everything in its groups; bind a role that has these capabilities",
        );
    }
    if (report.is !== "failed") return;
    const { problem } = report;
    if (report.mayBeStarting)
      this.#log.warn({ ...where, problem }, "the platform does not respond yet; the credential is checked again");
    else if (problem.kind === "credential" && problem.cause === "exchange" && tenant === undefined)
      this.#log.error(
        { flag: "--identity", problem },
        "the operator's identity cannot be assumed; correct the uid, or its claimMatch on the platform",
      );
    else this.#log.error({ ...where, problem }, "credential does not work");
  }

  /** The settings were compared with the platform. */
  settingsChecked({ unknownRoles, unreadableRoots }: SettingsReport): void {
    if (unknownRoles.length > 0)
      this.#log.error(
        { flag: "--allowed-role", roles: unknownRoles },
        "the platform has no such role; correct the name, or remove it",
      );
    if (unreadableRoots.length > 0)
      this.#log.error(
        { flag: "--root-group", groups: unreadableRoots },
        "the group does not exist, or the operator's identity cannot read it; correct the uid, or bind a role there",
      );
  }

  /**
   * Computes the gauges at each scrape, so that they cost nothing between scrapes. Tenants of another class, and their
   * objects, are counted by the operator of that class.
   */
  watchSources(
    sources: Sources,
    { tenants, class: served }: { readonly tenants: TenantStore; readonly class: string },
    access: Pick<UndeclaredAccess, "counts" | "heldRemovalsIn">,
  ): void {
    // From 0, so that the first increase is one: `increase` does not see the first sample of a series.
    for (const { name: kind } of sources.kinds)
      for (const result of ["detected", "corrected"]) this.metrics.drift.inc({ kind, result }, 0);
    this.metrics.onScrape(() => {
      this.metrics.tenants.reset();
      for (const tenant of tenants.values()) {
        if (tenant.class !== served) continue;
        const ready = readyCondition(tenant);
        this.metrics.tenants.inc({ ready: ready?.status ?? "Unknown", reason: ready?.reason ?? noStatus });
      }
      const { objects, oldestUnready, breaker, kubernetesRefused, snapshotAge, undeclared } = this.metrics;
      for (const [kind, count] of access.counts()) undeclared.set({ kind }, count);
      objects.reset();
      oldestUnready.reset();
      for (const { name: kind, collection } of sources.kinds) {
        const { counts, unreadySince } = observeReadiness(sources, kind);
        for (const { status, reason, objects: count } of counts) objects.set({ kind, ready: status, reason }, count);
        for (const [reason, since] of unreadySince)
          oldestUnready.set({ kind, reason }, Math.max(0, (sources.clock.now() - since) / 1000));
        const startTimes = Array.from(sources.tenancy.sessions).flatMap((session) =>
          session.roots.flatMap((root) => session.viewOf(collection).snapshotOf(root)?.startedAt ?? []),
        );
        if (startTimes.length > 0)
          snapshotAge.set({ kind }, (sources.clock.monotonic() - Math.min(...startTimes)) / 1000);
      }
      let held = 0;
      for (const { name } of sources.tenancy.contexts)
        held += sources.breakers.heldIn(name) + access.heldRemovalsIn(name);
      breaker.set(held);
      kubernetesRefused.reset();
      for (const { kind, step, objects: refused } of observeRefusals(sources))
        kubernetesRefused.inc({ kind, step }, refused);
    });
  }

  #statusWritten({ resource, wallClock }: Observed, step: Extract<Step, { do: "writeStatus" }>): void {
    const ready = readyCondition({ status: step.patch });
    if (ready === undefined) return;
    if (ready.reason === "DriftDetected") this.metrics.drift.inc({ kind: resource.kind, result: "detected" });
    const { creationTimestamp } = resource.metadata;
    // An adoption records the uid before the object is Ready, and a resource that is gone takes it away again.
    const isFirst = ready.status === "True" && resource.status?.lastSyncTime === undefined;
    if (isFirst && creationTimestamp !== undefined)
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
