import type { KindName } from "#src/api/resource.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { isForbidden, isNotFound } from "#src/kube/errors.ts";
import type { Recorder } from "#src/kube/events.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import type { Result } from "#src/runtime/controller.ts";
import { decide } from "./policy/decide.ts";
import { observe, type World } from "./observe/observe.ts";
import type { Observed } from "./observe/observed.ts";
import { isPlatformStep, performOnKubernetes, performOnPlatform } from "./perform.ts";
import { plainText } from "./policy/plain-text.ts";
import type { PlatformStep, Step } from "./policy/step.ts";

export interface ReconcilerOptions {
  readonly world: World;
  readonly kube: KubeApi;
  readonly recorder: Recorder;
  /** In [0, 1). */
  readonly random: () => number;
  readonly telemetry: ReconcileTelemetry;
}

/** What reconciliation tells the operator's logs and metrics. */
export interface ReconcileTelemetry {
  /** A step has been performed. */
  performed(observed: Observed, step: Step): void;
  /** A call to the platform failed; it is tried again after `retryInMs`. */
  failed(observed: Observed, step: Step, error: PlatformFailure, retryInMs: number): void;
  /** The status of a resource that is being deleted may not be written any more; its deletion goes on. */
  statusForbidden(observed: Observed): void;
}

/**
 * More steps than any flow needs. A reconcile that takes more has stopped making sense, or the world changes under it:
 * either way others go first.
 */
const mostSteps = 24;

/**
 * The one reconciliation: observe, decide, perform, until there is nothing to do or something to wait for.
 * Concurrency: never run for one key twice at once; the caller's queue makes sure of it.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** @throws {KubeError} where Kubernetes refused a write; what was observed may be old then. */
  async reconcile(kind: KindName, key: string, signal: AbortSignal): Promise<Result> {
    const { world } = this.#options;
    for (let count = 0; count < mostSteps; count += 1) {
      const observed = observe(world, kind, key);
      if (observed === undefined) return { type: "done" };
      const step = decide(observed);
      world.states[kind].afterDecision(key, observed, step);
      if (step.do === "done") return { type: "done" };
      if (step.do === "wait") return { type: "requeueAfter", ms: Math.max(step.until - observed.now, 0) };
      signal.throwIfAborted();
      if (isPlatformStep(step)) await this.#callPlatform(kind, key, observed, step);
      else {
        try {
          await performOnKubernetes(world, this.#options.kube, observed, step, signal);
        } catch (error) {
          // Gone meanwhile: the watch will say so, or has.
          if (isNotFound(error) && step.do !== "readCrd") return { type: "done" };
          // A namespace that is deleted takes the right to tell along before what waits to go: that is no failure.
          if (!isForbidden(error) || step.do !== "writeStatus" || !isLeaving(observed)) throw error;
          world.states[kind].afterStatusForbidden(key, observed, world.clock.monotonic());
          this.#options.telemetry.statusForbidden(observed);
          continue;
        }
        this.#tell(observed, step);
      }
    }
    return { type: "failed", error: new Error(`no end after ${mostSteps} steps`) };
  }

  async #callPlatform(kind: KindName, key: string, observed: Observed, step: PlatformStep): Promise<void> {
    const { world, random, telemetry: signs } = this.#options;
    try {
      await performOnPlatform(world, observed, step);
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
      const now = world.clock.monotonic();
      const failure = world.states[kind].afterFailure(key, observed, step, error, now, random());
      signs.failed(observed, step, error, failure.retryAt - now);
      return;
    }
    world.states[kind].afterSuccess(key, observed, step);
    this.#tell(observed, step);
  }

  #tell(observed: Observed, step: Step): void {
    this.#options.telemetry.performed(observed, step);
    if (!("event" in step) || step.event === undefined) return;
    const { type, reason, note } = step.event;
    this.#options.recorder.record(observed.resource, {
      type,
      reason,
      action: step.do.charAt(0).toUpperCase() + step.do.slice(1),
      note: plainText(note, 1024),
    });
  }
}

function isLeaving({ resource }: Observed): boolean {
  return resource.metadata.deletionTimestamp !== undefined;
}
