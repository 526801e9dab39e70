import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import { countRequests, type RequestCount, requestsSince } from "#test/support/control-plane/audit.ts";
import { operatorAccount, type System } from "./system.ts";

/** The counts of both servers at one moment. */
export interface Reading {
  readonly kubernetes: readonly RequestCount[];
  /** Completed calls by method. */
  readonly platform: ReadonlyMap<string, number>;
}

/** The operator's requests between two readings. */
export interface Traffic {
  readonly platformCalls: number;
  /** By method: `CreateGroup`. */
  readonly platform: Readonly<Record<string, number>>;
  /** Writes to Muster objects and their status. */
  readonly kubernetesWrites: number;
  /** Reads and writes by verb and resource: `patch groups.iam.muster.dev/status`. */
  readonly kubernetes: Readonly<Record<string, number>>;
  readonly eventWrites: number;
  readonly leaseWrites: number;
}

const operatorUser = `system:serviceaccount:muster-system:${operatorAccount}`;
const musterGroup = ".iam.muster.dev";

/** Counts the operator's requests at the servers, independently of the operator's own metrics. */
export class TrafficCounter {
  readonly #controlPlane: ControlPlane;
  readonly #system: System;

  constructor(controlPlane: ControlPlane, system: System) {
    this.#controlPlane = controlPlane;
    this.#system = system;
  }

  async read(): Promise<Reading> {
    const [kubernetes, platform] = await Promise.all([
      this.#controlPlane.requestCounts(),
      platformCalls(this.#system.platformUrl),
    ]);
    return { kubernetes: kubernetes.filter(({ user }) => user === operatorUser), platform };
  }

  /** A reading after a second without calls and writes. @throws {Error} after `timeoutMs` */
  async settled(timeoutMs = 60_000): Promise<Reading> {
    const deadline = performance.now() + timeoutMs;
    let before = await this.read();
    while (performance.now() < deadline) {
      await sleep(1_000);
      const after = await this.read();
      const { platformCalls: calls, kubernetesWrites } = trafficBetween(before, after);
      if (calls === 0 && kubernetesWrites === 0) return after;
      before = after;
    }
    throw new Error(`the operator still made calls or writes after ${timeoutMs / 1000} s`);
  }
}

export function trafficBetween(before: Reading, after: Reading): Traffic {
  const kubernetes = requestsSince(before.kubernetes, after.kubernetes);
  const platform = Object.fromEntries(
    [...after.platform]
      .map(([method, count]) => [method, count - (before.platform.get(method) ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
  const writesTo = (matches: (resource: string) => boolean) =>
    countRequests(kubernetes, ({ resource }, isWrite) => isWrite && matches(resource));
  return {
    platformCalls: Object.values(platform).reduce((sum, count) => sum + count, 0),
    platform,
    kubernetesWrites: writesTo((resource) => resource.endsWith(musterGroup)),
    kubernetes: tally(kubernetes),
    eventWrites: writesTo((resource) => resource.startsWith("events")),
    leaseWrites: writesTo((resource) => resource.startsWith("leases")),
  };
}

/** Of the writes to Muster objects, those to Tenants, whose status counts the objects every few seconds. */
export function tenantWrites({ kubernetes }: Traffic): number {
  return Object.entries(kubernetes)
    .filter(([request]) => request.startsWith("patch tenants."))
    .reduce((sum, [, requests]) => sum + requests, 0);
}

function tally(counts: readonly RequestCount[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { verb, resource, subresource, code, count } of counts) {
    const what = `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}${code < 300 ? "" : ` → ${code}`}`;
    sums[what] = (sums[what] ?? 0) + count;
  }
  return sums;
}

async function platformCalls(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const calls = new Map<string, number>();
  for (const [, method = "", count] of text.matchAll(
    /^muster_platform_server_requests_total\{method="([^"]*)",[^}]*\} (\d+)$/gm,
  ))
    calls.set(method, (calls.get(method) ?? 0) + Number(count));
  return calls;
}
