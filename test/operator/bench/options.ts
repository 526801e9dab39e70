import { flag, number, type Values } from "#test/support/bench/options.ts";

export const options = {
  objects: number("custom resources: a group, four identities, four role bindings, and so on", 900, {
    small: 18,
    least: 9,
  }),
  platformLatency: number("milliseconds by which the platform delays each response", 0, { least: 0 }),
  admissionPolicy: flag("let the API server add the finalizer at creation"),
  resync: number("seconds between resyncs while the operator is at rest", 5),
  allSettings: flag("measure all sizes, latencies and policies of docs/figures/operator.md"),
};

export type OperatorOptions = Values<typeof options>;
