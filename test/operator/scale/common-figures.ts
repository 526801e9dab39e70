import { latest } from "#test/operator/bench/apply.ts";
import { type Edit, readyMilliseconds } from "#test/operator/bench/edits.ts";
import { type Rest, total } from "#test/operator/bench/rest.ts";
import type { Restart } from "#test/operator/bench/restart.ts";
import { count, type Figure, milliseconds, seconds } from "#test/support/bench/outcome.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { tenantWrites, type Traffic } from "#test/support/harness/traffic.ts";

export const restIntervals = 3;

/** Writes to Kubernetes per object, and those to Tenants, whose status counts the objects every few seconds. */
export function writeFigures(traffic: Traffic, what: string, objects: number, atMost?: number): Figure[] {
  const toTenants = tenantWrites(traffic);
  return [
    count(`Writes to Kubernetes per ${what}`, (traffic.kubernetesWrites - toTenants) / objects, atMost),
    count("… to the status of Tenants, total", toTenants),
  ];
}

/**
 * @param objects the number of objects at rest
 * @param credentials with how many credentials they are listed
 */
export function restFigures(rest: Rest, objects: number, credentials: number): Figure[] {
  // Pages of 200. With each credential, the last page of each of three kinds need not be full, and three calls read its permissions.
  const calls = Math.ceil(objects / 200) + 6 * credentials;
  const kubernetesWrites = total(rest, (traffic) => traffic.kubernetesWrites);
  const eventWrites = total(rest, (traffic) => traffic.eventWrites);
  const platformCalls = total(rest, (traffic) => traffic.platformCalls);
  return [
    count("Writes to Kubernetes in three intervals at rest", kubernetesWrites, 0),
    count("Writes of events in three intervals at rest", eventWrites, 0),
    count("Calls to the platform per interval at rest", platformCalls / restIntervals, calls),
  ];
}

export function restartFigures({ ready, edits, observed, traffic }: Restart): Figure[] {
  return [
    seconds("From the start until /readyz succeeds", ready),
    seconds(`… until ${edits.length} edits made before are Ready, p50`, percentile(edits, 0.5)),
    seconds("… until all of them are", latest(edits)),
    seconds("… until every object has been observed", observed),
    count("Calls to the platform by the restart", traffic.platformCalls),
    count("Writes to Kubernetes by the restart, without those for the edits", traffic.kubernetesWrites - edits.length),
  ];
}

export function editFigures(when: string, edits: readonly Edit[], atMost?: number): Figure[] {
  const [p50, p99] = readyMilliseconds(edits);
  return [milliseconds(`Edit ${when}, p50 of ${edits.length}`, p50), milliseconds(`Edit ${when}, p99`, p99, atMost)];
}
