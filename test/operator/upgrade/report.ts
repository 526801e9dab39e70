import type { Figures, TurnResult } from "./turn.ts";

/** One turn on one line, for a terminal. */
export function line({ number, leader, handover, objects, seconds, ...result }: TurnResult): string {
  const { untouchedWrites, mostWrites, switched, atRest, restarts, violations } = result;
  return [
    `turn ${number}: ${leader} leads after ${handover}`,
    `${objects} objects, settled after ${seconds.toFixed(0)} s with ${figures(switched)}`,
    `untouched objects were written ${untouchedWrites} times, one at most ${mostWrites}`,
    `two resyncs at rest: ${figures(atRest)}`,
    ...(restarts === 0 ? [] : [`restarted ${restarts} times`]),
    `${violations.length} violations`,
  ].join("; ");
}

function figures({ platformCalls, objectWrites, tenantWrites }: Figures): string {
  return `${platformCalls} calls, ${objectWrites} writes to objects, ${tenantWrites} to Tenants`;
}
