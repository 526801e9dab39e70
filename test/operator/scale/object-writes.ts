import { tenantWrites, type Traffic } from "#test/support/harness/traffic.ts";
import { count, type Figure } from "./figure.ts";

/** Writes to Kubernetes per object, and those to Tenants, whose status counts the objects every few seconds. */
export function writeFigures(traffic: Traffic, what: string, objects: number, atMost?: number): Figure[] {
  const toTenants = tenantWrites(traffic);
  return [
    count(`Writes to Kubernetes per ${what}`, (traffic.kubernetesWrites - toTenants) / objects, atMost),
    count("… to the status of Tenants, total", toTenants),
  ];
}
