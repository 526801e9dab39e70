import type { KubeApi } from "./api.ts";
import type { Clock } from "./clock.ts";
import type { KubeObject } from "./object.ts";

export interface EventDescription {
  readonly type: "Normal" | "Warning";
  /** CamelCase: why. */
  readonly reason: string;
  /** CamelCase: what was done or tried. */
  readonly action: string;
  /** For people; cut at 1,024 characters. */
  readonly note: string;
}

export interface EventRecorderOptions {
  readonly api: KubeApi;
  /** `reportingController`: `iam.muster.dev/operator`. */
  readonly controller: string;
  /** `reportingInstance`: the pod. */
  readonly instance: string;
  readonly clock: Clock;
  /** Events a second in the long run; default 5. Each costs the API server as much as a create. */
  readonly ratePerSecond?: number;
  /** Events at once; default 50. */
  readonly burst?: number;
  /** Waiting to be sent; default 1,000. */
  readonly queueLimit?: number;
  /** An event was not written: `full` (queue), `failed` (refused or lost). */
  readonly onDrop?: (why: "full" | "failed", error?: unknown) => void;
}

/** Tells people what happened to an object. Never fails, never waits. */
export interface Recorder {
  record(object: KubeObject, event: EventDescription): void;
}
