import type { Machine } from "#test/support/bench/machine.ts";
import type { Traffic } from "#test/support/harness/traffic.ts";
import type { OperationCost } from "./operations.ts";

/** The figures of one run. The time of an object is from its POST until the benchmark's own watch sees it Ready. */
export interface Result {
  readonly objects: number;
  readonly seconds: number;
  readonly objectsPerSecond: number;
  readonly p50Seconds: number;
  readonly p99Seconds: number;
  readonly platformCallsPerObject: number;
  /** Writes to Muster objects and their status. `breakdown` has those of events and the Lease. */
  readonly kubernetesWritesPerObject: number;
  /** Resident memory at rest, after the creation. */
  readonly operatorRssMiB: number;
  /** CPU time of the whole creation. */
  readonly operatorCpuSeconds: number;
  /** From the PATCH of a spec until Ready with the new generation, for one edit at a time. */
  readonly edit: { readonly p50Seconds: number; readonly p99Seconds: number };
  readonly rest: { readonly seconds: number; readonly platformCalls: number; readonly kubernetesWrites: number };
  readonly restart: {
    /** From the start of the process until /readyz responds with success. */
    readonly readySeconds: number;
    /** Until the operator is at rest, including the call for the edit. */
    readonly platformCalls: number;
    /** From ready until the edited object is Ready; 0 if it was Ready before. */
    readonly editSeconds: number;
  };
  readonly delete: {
    readonly seconds: number;
    readonly platformCallsPerObject: number;
    readonly kubernetesWritesPerObject: number;
  };
  readonly operations: readonly OperationCost[];
  readonly settings: {
    readonly platformLatency: number;
    readonly admissionPolicy: boolean;
    readonly resync: number;
  };
  readonly machine: Machine;
  readonly breakdown: Breakdown;
}

/** Figures that explain the others. */
interface Breakdown {
  /** Duration of the load's requests. */
  readonly loadSeconds: number;
  readonly cpuSeconds: CpuSeconds;
  readonly operatorPeakRssMiB: number;
  readonly operatorRestartedRssMiB: number;
  readonly create: Traffic;
  /** From the PATCH of a spec until the resource's `updateTime` on the platform. */
  readonly editAtPlatform: { readonly p50Seconds: number; readonly p99Seconds: number };
  readonly edit: Traffic;
  readonly rest: Traffic;
  readonly restOperatorCpuSeconds: number;
  readonly restart: Traffic;
  readonly delete: Traffic;
  readonly deleteOperatorCpuSeconds: number;
}

/** CPU time during the creation. */
interface CpuSeconds {
  readonly operator: number;
  readonly platform: number;
  readonly apiServer: number;
  readonly bench: number;
}
