import type { MonotonicTime } from "#src/time/clock.ts";
import type { CodeName, OutageProblem, PlatformProblem } from "./failure.ts";

/**
 * What fails, whatever the call:
 * - `platform`: no connection, no valid response, or a server error.
 * - `tokenService`: there is no subject token, or the token service is unavailable.
 * - `token`: the platform rejects the token (UNAUTHENTICATED), although it was just exchanged.
 * - `exchange`: the token service refuses the exchange.
 */
export type OutageClass = "platform" | "tokenService" | "token" | "exchange";

/** Why the calls of a credential are suspended. */
export interface Outage {
  readonly class: OutageClass;
  /** The latest failure. */
  readonly problem: OutageProblem;
  /** One line for people, without a token. */
  readonly message: string;
  /** When the calls were suspended. */
  readonly since: MonotonicTime;
}

const serverErrors: ReadonlySet<CodeName> = new Set([
  "UNKNOWN",
  "DEADLINE_EXCEEDED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
]);

/** The class of outage that a failed call indicates; undefined if the failure concerns only the call itself. */
export function outageIn(
  problem: PlatformProblem,
): { readonly class: OutageClass; readonly problem: OutageProblem } | undefined {
  switch (problem.kind) {
    case "noResponse":
      return { class: "platform", problem };
    case "credential":
      return { class: problem.cause === "exchange" ? "exchange" : "tokenService", problem };
    case "rejected":
      if (problem.error.code === "UNAUTHENTICATED") return { class: "token", problem };
      return serverErrors.has(problem.error.code) ? { class: "platform", problem } : undefined;
    case "paused":
    case "suspended":
    case "ownerMismatch":
    case "permissions":
    case "parentGone":
      return undefined;
  }
}
