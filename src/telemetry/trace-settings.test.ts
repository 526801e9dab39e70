import { expect, it } from "vitest";
import { readTraceSettings } from "./trace-settings.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
const everything = { root: "on", parentBased: true };

it.each([
  ["nothing is set", {}],
  ["only other variables are set", { OTEL_SERVICE_NAME: "muster", OTEL_TRACES_SAMPLER: "always_on" }],
  ["the SDK is disabled", { ...endpoint, OTEL_SDK_DISABLED: "TRUE" }],
  ["the exporter is none", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }],
  ["the endpoint is empty", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }],
])("is off while %s", (_, env) => {
  expect(readTraceSettings(env)).toEqual({ is: "off" });
});

it.each([
  ["an endpoint", endpoint, everything],
  ["an endpoint of traces", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://c/v1/traces" }, everything],
  ["a sampler", { ...endpoint, OTEL_TRACES_SAMPLER: "always_off" }, { root: "off", parentBased: false }],
  [
    "a ratio",
    { ...endpoint, OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" },
    { root: { ratio: 0.25 }, parentBased: true },
  ],
])("is on with %s", (_, env, sampler) => {
  expect(readTraceSettings(env)).toEqual({ is: "on", sampler, delayMs: 5_000 });
});

it.each([
  ["250", 250],
  ["0", 100],
  ["soon", 5_000],
])("exports every OTEL_BSP_SCHEDULE_DELAY=%s", (delay, delayMs) => {
  expect(readTraceSettings({ ...endpoint, OTEL_BSP_SCHEDULE_DELAY: delay })).toMatchObject({ delayMs });
});

it.each([
  [{ ...endpoint, OTEL_TRACES_EXPORTER: "zipkin" }, "off", /zipkin.*not supported; use otlp or none/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }, "off", /not an http or https URL/],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "on", /grpc is not supported.*4318/],
  [{ ...endpoint, OTEL_TRACES_SAMPLER: "jaeger_remote" }, "on", /"jaeger_remote" is unknown; every trace is recorded/],
  [
    { ...endpoint, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" },
    "on",
    /not a number from 0 to 1/,
  ],
])("says what it cannot do: %o", (env, is, problem) => {
  expect(readTraceSettings(env)).toMatchObject({ is, problem: expect.stringMatching(problem) });
});
