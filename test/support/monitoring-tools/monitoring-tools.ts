import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { buildGoProgram } from "#test/support/go-program/build.ts";
import type { Recording } from "#test/monitoring/recording.ts";

export interface MonitoringRequest {
  /** Rule files of Prometheus, as text. */
  readonly rules?: readonly string[];
  readonly recordings?: readonly Recording[];
  readonly queries?: readonly string[];
  /** Seconds for which the state of the last scrape is assumed to last. */
  readonly extend?: number;
  /** A health check of Argo CD, and the objects to check. */
  readonly lua?: string;
  readonly objects?: readonly unknown[];
}

/** An alert that fires on a recording. */
export interface FiringAlert {
  readonly recording: string;
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Seconds from the last scrape until it fires. */
  readonly after: number;
}

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Pairs of seconds since the last scrape and values. */
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

export interface MonitoringResponse {
  readonly alerts?: readonly FiringAlert[];
  readonly queries?: readonly {
    readonly recording: string;
    readonly query: string;
    readonly series: readonly Series[];
  }[];
  readonly health?: readonly { readonly status: string; readonly message: string }[];
}

/**
 * Evaluates alerts, queries and health checks with the code of Prometheus and the Lua interpreter of Argo CD, in the Go
 * program of this folder, which is built once.
 * @throws {ControlPlaneUnavailable} if it cannot be built. @throws {Error} if a rule, a query or a script is invalid
 */
export async function evaluate(
  request: MonitoringRequest,
  progress?: (line: string) => void,
): Promise<MonitoringResponse> {
  const program = await buildGoProgram(
    {
      name: "monitoring-tools",
      folder: import.meta.dirname,
      title: "PromQL",
      module: "github.com/prometheus/prometheus",
    },
    { progress },
  );
  const child = spawn(program, { stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(JSON.stringify(request));
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (code !== 0) throw new Error(errors.trim());
  return JSON.parse(output) as MonitoringResponse;
}
