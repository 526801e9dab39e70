import type { AuditRecord } from "./audit-record.ts";
import { typeDecidesAccess } from "./deciding-fields.ts";
import { type ResourceState, type StateRecord, stateAfter } from "./resource-state.ts";

/** The groups, roles, role bindings, identities, identity providers and invites that existed at a moment, by type and uid. */
export type RebuiltAccess = ReadonlyMap<string, ReadonlyMap<string, ResourceState>>;

/** What a moment is rebuilt from. */
export type HistoricRecord = StateRecord & Pick<AuditRecord, "firstTime">;

/**
 * Rebuilds from the audit log what decided access at a moment. It decides nothing itself: whether keys or an invite had expired
 * then follows from their fields. What the records do not say is unknown, by the names of the fields.
 * @param records from the first one on, in the order of their sequences; all that the result is about
 * @param moment milliseconds since the epoch: after all changes with this time, and before all later ones. A change happened
 *   at the time of its replica, so changes of two replicas within the difference of their clocks may be taken apart. Undefined:
 *   after the last record
 */
export async function rebuildAccess(
  records: Iterable<HistoricRecord> | AsyncIterable<HistoricRecord>,
  moment = Number.POSITIVE_INFINITY,
): Promise<RebuiltAccess> {
  const rebuilt = new Map<string, Map<string, ResourceState>>();
  for await (const record of records) {
    const known = atMoment(record, moment);
    if (known === undefined || !typeDecidesAccess(record.type)) continue;
    const ofType = rebuilt.get(record.type) ?? new Map<string, ResourceState>();
    rebuilt.set(record.type, ofType);
    const state = stateAfter(ofType.get(record.uid), known);
    if (state === undefined) ofType.delete(record.uid);
    else ofType.set(record.uid, state);
  }
  return rebuilt;
}

/**
 * What the record says of the moment; undefined for nothing. Between the changes that it stands for, only the first one is certain, and
 * their fields are unknown.
 */
function atMoment(record: HistoricRecord, moment: number): HistoricRecord | undefined {
  if (Date.parse(record.time) <= moment) return record;
  if (Date.parse(record.firstTime) > moment) return undefined;
  const fields = Object.fromEntries(Object.keys(record.fields).map((path) => [path, { omitted: true } as const]));
  return { ...record, time: record.firstTime, fields };
}
