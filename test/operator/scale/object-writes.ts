import type { Traffic } from "#test/support/harness/traffic.ts";
import { count, type Figure } from "./figure.ts";

/** Writes to Kubernetes per object, and those to Tenants, whose status counts the objects every few seconds. */
export function writeFigures(traffic: Traffic, what: string, objects: number, atMost?: number): Figure[] {
  const toTenants = Object.entries(traffic.kubernetes)
    .filter(([request]) => request.startsWith("patch tenants."))
    .reduce((sum, [, requests]) => sum + requests, 0);
  return [
    count(`Writes to Kubernetes per ${what}`, (traffic.kubernetesWrites - toTenants) / objects, atMost),
    count("… to the status of Tenants, total", toTenants),
  ];
}
