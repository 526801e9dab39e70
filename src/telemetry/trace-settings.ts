import { asciiLowerCase } from "#src/text/ascii-case.ts";

/** How traces are sampled, as in `OTEL_TRACES_SAMPLER`. */
export interface SamplerSetting {
  readonly root: "on" | "off" | { readonly ratio: number };
  /** Whether the decision of the caller takes precedence. */
  readonly parentBased: boolean;
}

export type TraceSettings =
  | { readonly is: "off"; readonly problem?: string }
  | {
      readonly is: "on";
      readonly sampler: SamplerSetting;
      /** Milliseconds between two exports. */
      readonly delayMs: number;
      readonly problem?: string;
    };

const defaultDelayMs = 5_000;
const minDelayMs = 100;

const samplers: Readonly<Record<string, (ratio: number) => SamplerSetting["root"]>> = {
  always_on: () => "on",
  always_off: () => "off",
  traceidratio: (ratio) => ({ ratio }),
};

/**
 * Whether the standard variables of OpenTelemetry ask for traces: an endpoint is set, and nothing turns the SDK or the exporter
 * off. The exporter reads the other variables (headers, timeout, compression, certificates) itself.
 * @returns also a problem that a person has to know of: what cannot be done as asked.
 */
export function readTraceSettings(env: Readonly<Record<string, string | undefined>>): TraceSettings {
  const given = (name: string) => env[name]?.trim() ?? "";
  const endpoint = given("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") || given("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (endpoint === "" || asciiLowerCase(given("OTEL_SDK_DISABLED")) === "true") return { is: "off" };
  const exporter = given("OTEL_TRACES_EXPORTER");
  if (exporter === "none") return { is: "off" };
  if (exporter !== "" && exporter !== "otlp")
    return { is: "off", problem: `OTEL_TRACES_EXPORTER: "${exporter}" is not supported; use otlp or none` };
  if (!["http:", "https:"].includes(URL.parse(endpoint)?.protocol ?? ""))
    return { is: "off", problem: "OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL" };
  const { sampler, problem: samplerProblem } = samplerIn(
    given("OTEL_TRACES_SAMPLER"),
    given("OTEL_TRACES_SAMPLER_ARG"),
  );
  const protocol = given("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") || given("OTEL_EXPORTER_OTLP_PROTOCOL");
  const problem =
    protocol === "grpc"
      ? "OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported; traces are sent over HTTP as JSON, usually to port 4318"
      : samplerProblem;
  const delay = Number(given("OTEL_BSP_SCHEDULE_DELAY") || defaultDelayMs);
  const delayMs = Number.isFinite(delay) ? Math.max(delay, minDelayMs) : defaultDelayMs;
  return { is: "on", sampler, delayMs, ...(problem === undefined ? {} : { problem }) };
}

function samplerIn(name: string, argument: string): { readonly sampler: SamplerSetting; readonly problem?: string } {
  const parentBased = name === "" || name.startsWith("parentbased_");
  const root = samplers[name === "" ? "always_on" : name.replace(/^parentbased_/, "")];
  const ratio = argument === "" ? 1 : Number(argument);
  if (root === undefined || !(ratio >= 0 && ratio <= 1)) {
    const problem =
      root === undefined
        ? `OTEL_TRACES_SAMPLER: "${name}" is unknown`
        : "OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1";
    return { sampler: { root: "on", parentBased: true }, problem: `${problem}; every trace is recorded` };
  }
  return { sampler: { root: root(ratio), parentBased } };
}
