import type { KubeApi } from "./api.ts";
import type { KubeConnection } from "./config.ts";

/** One finished call, for `rest_client_requests_total` and latencies. */
export interface ObservedCall {
  readonly method: string;
  /** `get groups`, `patch groups/status`, `watch groups`: no names of objects. */
  readonly call: string;
  /** HTTP status as a string; `<error>` where no answer came. */
  readonly code: string;
  readonly durationMs: number;
}

export interface KubeClientOptions {
  readonly connection: KubeConnection;
  /** Requests under way at once, each on a connection of its own; default 16. More only queue in the API server. */
  readonly connections?: number;
  /** From the call to the end of its answer; default 15 s. */
  readonly deadlineMs?: number;
  readonly userAgent?: string;
  readonly observe?: (call: ObservedCall) => void;
}
export type KubeClientFactory = (options: KubeClientOptions) => KubeApi & { close(): Promise<void> };
