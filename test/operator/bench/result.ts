import type { Machine } from "#test/support/bench/machine.ts";
import type { Traffic } from "#test/support/harness/traffic.ts";

/** What one run found. Seconds of an object go from its creation's POST until the bench's own watch saw it Ready. */
export interface Result {
  readonly objects: number;
  readonly seconds: number;
  readonly objectsPerSecond: number;
  readonly p50Seconds: number;
  readonly p99Seconds: number;
  readonly platformCallsPerObject: number;
  /** Writes to Muster's objects and their status; events and the Lease are told in `breakdown`. */
  readonly kubernetesWritesPerObject: number;
  /** Resident, at rest, once all is created. */
  readonly operatorRssMiB: number;
  /** Of all creations together. */
  readonly operatorCpuSeconds: number;
  /** From the PATCH of a spec until Ready with the new generation, one edit after the other. */
  readonly edit: { readonly p50Seconds: number; readonly p99Seconds: number };
  readonly rest: { readonly seconds: number; readonly platformCalls: number; readonly kubernetesWrites: number };
  readonly restart: {
    /** From the start of the process until /readyz says so. */
    readonly readySeconds: number;
    /** Until it came to rest, with the one for the edit that was made meanwhile. */
    readonly platformCalls: number;
    /** From ready until that edit is Ready; 0 if it was before. */
    readonly editSeconds: number;
  };
  readonly delete: {
    readonly seconds: number;
    readonly platformCallsPerObject: number;
    readonly kubernetesWritesPerObject: number;
  };
  readonly settings: {
    readonly platformLatency: number;
    readonly admissionPolicy: boolean;
    readonly resync: number;
  };
  readonly machine: Machine;
  readonly breakdown: Breakdown;
}

/** What explains the figures. */
export interface Breakdown {
  /** How long the creation's requests took. */
  readonly loadSeconds: number;
  readonly cpuSeconds: CpuSeconds;
  readonly operatorPeakRssMiB: number;
  readonly operatorRestartedRssMiB: number;
  readonly create: Traffic;
  /** From the PATCH of a spec until the platform had it, by the time that the platform gives. */
  readonly editAtPlatform: { readonly p50Seconds: number; readonly p99Seconds: number };
  readonly edit: Traffic;
  readonly rest: Traffic;
  readonly restart: Traffic;
  readonly delete: Traffic;
  readonly deleteOperatorCpuSeconds: number;
}

/** Processor time during the creation. */
export interface CpuSeconds {
  readonly operator: number;
  readonly platform: number;
  readonly apiServer: number;
  readonly bench: number;
}
