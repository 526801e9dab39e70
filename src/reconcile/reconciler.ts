import type { Kind } from "#src/kinds/kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { isNotFound, isRefused, type KubeError } from "#src/kube/errors.ts";
import type { EventDescription } from "#src/kube/event.ts";
import type { Recorder } from "#src/kube/event-recorder.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { PlatformFailure, provesNoEffect, reachedPlatform } from "#src/platform-client/failure.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Result } from "#src/runtime/controller.ts";
import type { Tracer } from "#src/telemetry/tracer.ts";
import type { Enqueue } from "./wake/enqueue.ts";
import { wake } from "./wake/wake.ts";
import { governanceNow } from "./observe/governance-now.ts";
import { observe } from "./observe/observe.ts";
import type { Observed } from "./observe/observed.ts";
import type { ReconcileState, Refusal } from "./observe/reconcile-state.ts";
import { readSoon } from "./observe/read-soon.ts";
import type { Sources } from "./observe/sources.ts";
import { sessionThatLists } from "./observe/unrecorded.ts";
import { keepIssuedCode } from "./keep-issued-code.ts";
import { secretSentBy, secretSentWith, withSecretValue } from "./send-secret.ts";
import { performOnKubernetes, performOnPlatform } from "./perform.ts";
import type { Decision } from "./policy/check.ts";
import { decide } from "./policy/decide.ts";
import { currentMs } from "./policy/freshness.ts";
import { plainText } from "./policy/plain-text.ts";
import {
  stateAfterAcceptance,
  stateAfterDecision,
  stateAfterFailure,
  stateAfterLostCode,
  stateAfterRefusal,
  stateAfterStatusWrite,
  stateAfterSuccess,
  stateAfterUnsent,
} from "./policy/state-after.ts";
import { refusalOf, writtenByOthers } from "./policy/refusal.ts";
import { failureOf } from "./policy/retry.ts";
import type { TenantContext } from "./tenancy/tenancy.ts";
import { type Event, eventsOf, isPlatformStep, type KubeStep, type PlatformStep, type Step } from "./policy/step.ts";

export interface ReconcilerOptions {
  readonly sources: Sources;
  readonly kube: Pick<KubeApi, "patch">;
  readonly recorder: Recorder;
  /** In [0, 1). */
  readonly random: () => number;
  readonly telemetry: ReconcileTelemetry;
  readonly enqueue: Enqueue;
  readonly tracer?: Tracer | undefined;
}

/** What the reconciler reports to the logs and metrics of the operator. */
export interface ReconcileTelemetry {
  /** A step was decided, also one that only waits. */
  decided(observed: Observed, decision: Decision): void;
  /** A step was performed. */
  performed(observed: Observed, step: Step): void;
  /** A platform call failed. It is retried after `retryInMs`. */
  failed(observed: Observed, step: Step, error: PlatformFailure, retryInMs: number): void;
  /** Kubernetes refused a step. It is retried at `refusal.retryAt`. */
  refused(observed: Observed, step: KubeStep, error: KubeError, refusal: Refusal): void;
}

/**
 * The maximum number of steps of one reconcile, more than any flow needs. A reconcile that takes more either has a bug
 * or follows changes that do not end; in both cases other objects go first.
 */
const maxSteps = 24;
/** The maximum length of an event's note. */
const maxNoteLength = 1024;

/**
 * The loop, for every kind: observe, decide, perform, until there is nothing to do or something to wait for.
 *
 * Assumptions: the queue never runs one key twice at the same time.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /**
   * @param observes called before each observation, which sees everything that was enqueued until then.
   * @throws {KubeError} if the observation was outdated (a conflict), or if Kubernetes is not available.
   */
  async reconcile(kind: Kind, key: string, signal: AbortSignal, observes: () => void): Promise<Result> {
    for (let count = 0; count < maxSteps; count += 1) {
      observes();
      const decision = this.#decide(kind, key);
      if (decision === undefined) return { type: "done" };
      const { observed, step } = decision;
      this.#options.telemetry.decided(observed, decision);
      this.#remember(key, observed, (state) => stateAfterDecision({ ...observed, state }, step));
      if (step.do === "done" || step.do === "wait") this.#options.sources.states.get(kind.name).rest(key);
      if (step.do === "done")
        return step.recheckAt === undefined
          ? { type: "done" }
          : { type: "requeueAfter", ms: Math.max(step.recheckAt - observed.now, 0) };
      if (step.do === "wait") return { type: "requeueAfter", ms: Math.max(step.until - observed.now, 0) };
      signal.throwIfAborted();
      if (!(await this.#perform(kind, key, observed, step, signal))) return { type: "done" };
    }
    return { type: "failed", error: new Error(`the reconcile did not end within ${maxSteps} steps`) };
  }

  #decide(kind: Kind, key: string): (Decision & { readonly observed: Observed }) | undefined {
    const { sources, tracer } = this.#options;
    const run = () => {
      const observed = observe(sources, kind, key);
      return observed === undefined ? undefined : { observed, ...decide(observed, kind) };
    };
    if (tracer === undefined) return run();
    return tracer.span("decide", {}, (span) => {
      const decision = run();
      if (decision !== undefined) span.set({ "muster.step": decision.step.do, "muster.check": decision.check });
      return decision;
    });
  }

  /** @returns false if the object does not exist any longer. @throws {KubeError} */
  #perform(
    kind: Kind,
    key: string,
    observed: Observed,
    step: PlatformStep | KubeStep,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { tracer } = this.#options;
    const run = async () => {
      if (!isPlatformStep(step)) return this.#callKubernetes(kind, key, observed, step, signal);
      await this.#callPlatform(kind, key, observed, step, signal);
      return true;
    };
    return tracer === undefined ? run() : tracer.span(`perform ${step.do}`, {}, run);
  }

  /** A failure is remembered, so that the next decision observes it. */
  async #callPlatform(
    kind: Kind,
    key: string,
    observed: Observed,
    step: PlatformStep,
    signal: AbortSignal,
  ): Promise<void> {
    const { sources, random, telemetry, enqueue } = this.#options;
    const sent = await this.#withSecretValue(kind, key, observed, step, signal);
    const credential = this.#credentialFor(kind, observed, step);
    // The Secret changed since it was observed, or may not be read, or the object lost its Tenant: the next decision observes that.
    if (sent === undefined || credential === undefined)
      return this.#remember(key, observed, (state) => stateAfterUnsent({ state }, step, observed.state));
    const { session, credentialEpoch } = credential;
    const target = this.#kindOf(step) ?? kind;
    const reportDeletion = () => this.#reportDeletion(session, target, target === kind ? key : undefined, step);
    let written: ExternalResource | void;
    try {
      const alsoToRead = () => readSoon(sources, kind, session, sources.clock.monotonic() - currentMs);
      written = await performOnPlatform(session, target, sent, alsoToRead);
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
      if (!provesNoEffect(error.problem)) reportDeletion();
      if (reachedPlatform(error.problem)) this.#recordRemoval(kind, key, step, "failed");
      const now = sources.clock.monotonic();
      const failed = { ...observed, credentialEpoch: credentialEpoch() };
      const failure = failureOf(failed, kind, step, error.problem, now, random());
      const hadNoEffect = provesNoEffect(error.problem);
      this.#remember(key, observed, (state) => stateAfterFailure({ state }, failure, observed.state, hadNoEffect));
      telemetry.failed(observed, step, error, failure.retryAt - now);
      return;
    }
    this.#recordRemoval(kind, key, step, "removed");
    reportDeletion();
    const cached = sources.stores.get(kind.name).get(key);
    if (step.do === "update" && cached !== undefined) wake(sources, "updated", { kind, cached }, enqueue);
    if (step.do === "removeUndeclared") wake(sources, "undeclaredRemoved", { uid: step.uid }, enqueue);
    const remembered = {
      created: step.do === "create" ? (written ?? undefined) : undefined,
      secretSent: secretSentWith(kind, step, written ?? undefined),
      issued: keepIssuedCode(sources.codes, kind, observed, step, written ?? undefined),
    };
    this.#remember(key, observed, (state) => stateAfterSuccess({ ...observed, state }, step, remembered));
    this.#report(observed, step);
  }

  /** The step with the value of the Secret that it sends; undefined if a new decision is required first. @throws {KubeError} */
  async #withSecretValue(
    kind: Kind,
    key: string,
    observed: Observed,
    step: PlatformStep,
    signal: AbortSignal,
  ): Promise<PlatformStep | undefined> {
    const toSend = secretSentBy(step);
    if (toSend === undefined) return step;
    const read = { do: "readSecret", at: toSend.at } as const;
    try {
      const sent = await withSecretValue(this.#options.sources.secrets, kind, step, signal);
      this.#accepted(kind, key, observed, read);
      return sent;
    } catch (error) {
      if (!isRefused(error)) throw error;
      this.#refused(key, observed, read, error);
      return undefined;
    }
  }

  /** The session that makes a call, which reaches the groups that the decision was made about. */
  #credentialFor(
    kind: Kind,
    { resource, invalid, state, credentialEpoch, tenant, rootSnapshots, wallClock }: Observed,
    step: PlatformStep,
  ): Pick<TenantContext, "session" | "credentialEpoch"> | undefined {
    const { tenancy } = this.#options.sources;
    const governance = governanceNow(tenancy, { resource, invalid, state }, wallClock);
    if (step.do === "list" && step.through === "anySession") {
      const session = sessionThatLists(tenancy, kind, step.parent, governance);
      return session === undefined ? undefined : { session, credentialEpoch: () => credentialEpoch };
    }
    if (governance.by !== "tenant") return undefined;
    const { context } = governance;
    if (tenant.is === "known" && tenant.name === context.name)
      for (const { group } of rootSnapshots) context.session.extendTo(group);
    return context;
  }

  /** The kind of the resource that `step` is about, if it is not that of the object. */
  #kindOf(step: PlatformStep): Kind | undefined {
    if (!("kind" in step) || step.kind === undefined) return undefined;
    return this.#options.sources.kinds.find(({ name }) => name === step.kind);
  }

  #recordRemoval(kind: Kind, key: string, step: PlatformStep, outcome: "removed" | "failed"): void {
    const { stores, undeclared } = this.#options.sources;
    const cached = stores.get(kind.name).get(key);
    if (step.do === "removeUndeclared" && cached !== undefined) undeclared.recordRemoval(cached, step.uid, outcome);
  }

  /** Other objects may have what `step` deleted, or may have deleted. */
  #reportDeletion(session: PlatformSession, kind: Kind, by: string | undefined, step: PlatformStep): void {
    if (step.do !== "delete" && step.do !== "removeUndeclared") return;
    const { sources, enqueue } = this.#options;
    wake(sources, "deleted", { session, kind, uid: step.uid, by }, enqueue);
  }

  /**
   * A refusal is remembered, so that the next decision observes it.
   * @returns false if the object does not exist any longer. @throws {KubeError}
   */
  async #callKubernetes(
    kind: Kind,
    key: string,
    observed: Observed,
    step: KubeStep,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { sources, kube, random } = this.#options;
    const loseCode = () => this.#remember(key, observed, (state) => stateAfterLostCode({ state }));
    try {
      if (step.do === "report") await this.#write(observed, step, signal);
      else if (!(await performOnKubernetes(sources, kube, kind, observed, step, signal))) {
        const now = sources.clock.monotonic();
        const refusal = refusalOf(observed, step.do, writtenByOthers, now, random());
        this.#remember(key, observed, (state) => stateAfterRefusal({ state }, step, refusal, now));
        loseCode();
        return true;
      }
    } catch (error) {
      if (isNotFound(error) && step.do !== "readCrd") return false;
      if (!isRefused(error)) throw error;
      this.#refused(key, observed, step, error);
      if (step.do === "writeSecret") loseCode();
      return true;
    }
    this.#accepted(kind, key, observed, step);
    this.#report(observed, step);
    return true;
  }

  /** @throws {KubeError} */
  async #write({ resource }: Observed, step: Extract<KubeStep, { do: "report" }>, signal: AbortSignal): Promise<void> {
    const { recorder } = this.#options;
    const { kind, metadata } = resource;
    if (step.about === "object") return recorder.write(resource, describe(step, step.event), signal);
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: metadata.namespace ?? "" } };
    const event = { ...step.event, note: `${kind} ${metadata.name}: ${step.event.note}` };
    return recorder.write(namespace, describe(step, event), signal);
  }

  #refused(key: string, observed: Observed, step: KubeStep, error: KubeError): void {
    const { sources, random, telemetry } = this.#options;
    const now = sources.clock.monotonic();
    const refusal = refusalOf(observed, step.do, error, now, random());
    this.#remember(key, observed, (state) => stateAfterRefusal({ state }, step, refusal, now));
    telemetry.refused(observed, step, error, refusal);
  }

  /** What Kubernetes accepts for one object again, it may accept for the others in the namespace, too. */
  #accepted({ name: kind }: Kind, key: string, observed: Observed, step: KubeStep): void {
    const { sources, enqueue } = this.#options;
    const now = sources.clock.monotonic();
    this.#remember(key, observed, (state) => {
      const accepted = stateAfterAcceptance({ state }, step);
      return step.do === "writeStatus" ? stateAfterStatusWrite({ state: accepted }, now) : accepted;
    });
    if (observed.state.refusals?.[step.do] === undefined) return;
    const namespace = observed.resource.metadata.namespace ?? "";
    for (const other of sources.states.get(kind).endRefusals(step.do, namespace, now))
      enqueue(kind, other, { priority: "low" });
  }

  #remember(key: string, { resource, state }: Observed, change: (state: ReconcileState) => ReconcileState): void {
    this.#options.sources.states.get(resource.kind).update(key, state.resourceUid, change);
  }

  #report(observed: Observed, step: Step): void {
    const { telemetry, recorder } = this.#options;
    telemetry.performed(observed, step);
    if (step.do === "report") return;
    for (const event of eventsOf(step)) recorder.record(observed.resource, describe(step, event));
  }
}

function describe(step: Step, { type, reason, note }: Event): EventDescription {
  const action = step.do.charAt(0).toUpperCase() + step.do.slice(1);
  return { type, reason, action, note: plainText(note, maxNoteLength) };
}
