import type { Figures, TurnResult } from "./turn.ts";

/** One turn on one line, for a terminal. */
export function line({ number, leader, handover, objects, seconds, ...result }: TurnResult): string {
  const { untouchedWrites, switched, atRest, restarts, violations } = result;
  const writes = Object.values(untouchedWrites).map(({ length }) => length);
  return [
    `turn ${number}: ${leader} leads after ${handover}`,
    `${objects} objects, settled after ${seconds.toFixed(0)} s with ${figures(switched)}`,
    `${writes.length} untouched objects were written, one at most ${Math.max(0, ...writes)} times`,
    `two resyncs at rest: ${figures(atRest)}`,
    ...(restarts === 0 ? [] : [`restarted ${restarts} times`]),
    `${violations.length} violations`,
  ].join("; ");
}

function figures({ platformCalls, objectWrites, tenantWrites }: Figures): string {
  return `${platformCalls} calls, ${objectWrites} writes to objects, ${tenantWrites} to Tenants`;
}
