import { buildInfo } from "./build-info.ts";
import type { Logger } from "./log.ts";
import { readTraceSettings } from "./trace-settings.ts";
import type { Tracer } from "./tracer.ts";

/**
 * Starts a tracer if the standard variables of OpenTelemetry ask for one. Otherwise nothing of OpenTelemetry is loaded.
 * @param service the name of the service, unless a variable sets it
 */
export async function startTracing(
  service: string,
  env: Readonly<Record<string, string | undefined>>,
  log: Logger,
): Promise<Tracer | undefined> {
  const settings = readTraceSettings(env);
  if (settings.problem !== undefined) log.warn({ problem: settings.problem }, "traces are not configured as asked");
  if (settings.is === "off") return undefined;
  const { OpenTelemetryTracer } = await import("./open-telemetry.ts");
  log.info({ sampler: settings.sampler }, "recording traces");
  const { sampler, delayMs } = settings;
  return new OpenTelemetryTracer({ service, version: buildInfo.version, sampler, delayMs, log });
}
