import type { KubeApi } from "./api.ts";
import type { Clock } from "./clock.ts";
import type { ResourceKind } from "./object.ts";
import type { FedStore } from "./store.ts";

/** What a reflector tells, for logs and metrics. */
export type ReflectorReport =
  | { readonly type: "listed"; readonly objects: number; readonly pages: number; readonly durationMs: number }
  | { readonly type: "watching"; readonly resourceVersion: string }
  | { readonly type: "failed"; readonly step: "list" | "watch"; readonly error: unknown; readonly retryInMs: number }
  /** One object could not be taken in; the stream went on. */
  | { readonly type: "skipped"; readonly error: unknown };

export interface ReflectorOptions {
  readonly api: KubeApi;
  readonly resource: ResourceKind;
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly store: FedStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly report?: (report: ReflectorReport) => void;
}
