import { sql } from "kysely";
import { type Reader, statement, type Writer } from "../store/database.ts";
import type { RecordDetails } from "./audit-record.ts";
import { fieldDecidesAccess, typeDecidesAccess } from "./deciding-fields.ts";
import type { FieldChanges } from "./field-changes.ts";
import { recordOf } from "./read-records.ts";
import { type ResourceState, type StateDetails, stateAfter } from "./resource-state.ts";
import { retentionOf, setRetention } from "./retention-position.ts";

/** The records that one transaction examines. Small, so that other writes can run between two transactions. */
const maximumRecords = 500;
/** Their bytes, unless the first one alone has more: a database deletes the pages of long texts one by one. */
const maximumBytes = 4 * 1024 * 1024;

const oldest = statement((db, p: { position: number; limit: number }) =>
  db
    .selectFrom("audit_log")
    .select(["sequence", "time", "form", "action", "type", "uid", sql<number>`octet_length(fields)`.as("bytes")])
    .where("sequence", ">", p.position)
    .where("form", "!=", "state")
    .orderBy("sequence")
    .limit(p.limit),
);

interface OldRecord {
  readonly sequence: number;
  readonly time: number;
  readonly form: string;
  readonly action: string;
  readonly type: string;
  readonly uid: string;
  readonly bytes: number;
}

const withSequence = statement((db, p: { sequence: number }) =>
  db.selectFrom("audit_log").selectAll().where("sequence", "=", p.sequence),
);

const toState = statement((db, p: { sequence: number; fields: string; details: string }) =>
  db
    .updateTable("audit_log")
    .set({ form: "state", action: "state", method: "", change_count: 0, fields: p.fields, details: p.details })
    .set((row) => ({ first_time: row.ref("time") }))
    .where("sequence", "=", p.sequence),
);

/** What one transaction did. */
export interface Folding {
  /** How many records it deleted or replaced by a state. */
  readonly folded: number;
  /** Whether there may be more of them. */
  readonly mayHaveMore: boolean;
}

/**
 * Deletes the oldest records, as far as they are from before a time. What decides access stays known: of each resource that exists
 * after them, the last of its records becomes its state. A record stays if an earlier one about the same resource does, because its time
 * is later: clocks differ, and can be wrong.
 */
export async function foldOldestRecords(tx: Writer, before: number): Promise<Folding> {
  const { position, completeSince } = await retentionOf(tx);
  const found = await tx.all(oldest, { position, limit: maximumRecords });
  const records = found.slice(0, recordsWithinBytes(found));
  const { old, kept } = split(records, before);
  if (old.length === 0) return { folded: 0, mayHaveMore: false };
  const states = await statesUntil(tx, old);
  const gone = new Set(old.map(({ sequence }) => sequence));
  for (const [key, ofResource] of byResource(old)) {
    const state = states.get(key);
    const last = ofResource.at(-1);
    if (state !== undefined) gone.add(state);
    if (last === undefined || last.action === "delete") continue;
    const after = await foldedState(tx, state, ofResource);
    if (after === undefined) continue;
    gone.delete(last.sequence);
    await tx.run(toState, { sequence: last.sequence, ...columnsOf(after) });
  }
  if (gone.size > 0) await tx.query((db) => db.deleteFrom("audit_log").where("sequence", "in", [...gone]));
  const until = kept.at(0)?.sequence ?? (records.at(-1)?.sequence ?? position) + 1;
  const hasChanges = old.some(({ form }) => form !== "event");
  await setRetention(tx, {
    position: until - 1,
    completeSince: hasChanges ? Math.max(completeSince ?? before, before) : completeSince,
  });
  return { folded: old.length, mayHaveMore: records.length < found.length || found.length === maximumRecords };
}

function recordsWithinBytes(found: readonly OldRecord[]): number {
  let bytes = 0;
  const end = found.findIndex((record) => (bytes += record.bytes) > maximumBytes);
  return end < 0 ? found.length : Math.max(end, 1);
}

function split(records: readonly OldRecord[], before: number): Record<"old" | "kept", OldRecord[]> {
  const old: OldRecord[] = [];
  const kept: OldRecord[] = [];
  const keptResources = new Set<string>();
  for (const record of records) {
    const stays = record.time >= before || (isFolded(record) && keptResources.has(keyOf(record)));
    if (stays) keptResources.add(keyOf(record));
    (stays ? kept : old).push(record);
  }
  return { old, kept };
}

function isFolded({ form, type }: OldRecord): boolean {
  return form !== "event" && typeDecidesAccess(type);
}

/** A group and its account association have the same uid. */
function keyOf({ type, uid }: Pick<OldRecord, "type" | "uid">): string {
  return `${type} ${uid}`;
}

function byResource(records: readonly OldRecord[]): ReadonlyMap<string, readonly OldRecord[]> {
  return Map.groupBy(records.filter(isFolded), keyOf);
}

/** The sequences of the states from which the records go on, by resource. */
async function statesUntil(tx: Reader, records: readonly OldRecord[]): Promise<ReadonlyMap<string, number>> {
  const uids = [...new Set(records.filter(isFolded).map(({ uid }) => uid))];
  const last = records.at(-1)?.sequence ?? 0;
  if (uids.length === 0) return new Map();
  const found = await tx.query((db) =>
    db
      .selectFrom("audit_log")
      .select(["sequence", "type", "uid"])
      .where("uid", "in", uids)
      .where("sequence", "<", last)
      .where("form", "=", "state"),
  );
  return new Map(found.map(({ sequence, ...resource }) => [keyOf(resource), sequence]));
}

/** Reads the records one after the other, because each may be as large as two resources. */
async function foldedState(
  tx: Reader,
  state: number | undefined,
  records: readonly OldRecord[],
): Promise<ResourceState | undefined> {
  const sequences = records.map(({ sequence }) => sequence);
  let after: ResourceState | undefined;
  for (const sequence of state === undefined ? sequences : [state, ...sequences]) {
    const row = await tx.first(withSequence, { sequence });
    if (row !== undefined) after = stateAfter(after, recordOf(row));
  }
  return after;
}

/** Fields that do not decide access are omitted, except the name, by which people know the resource. */
function columnsOf({
  type,
  fields,
  unknown,
  isWhole,
  tokensEnded,
}: ResourceState): Record<"fields" | "details", string> {
  const changes: FieldChanges = Object.fromEntries([
    ...[...fields].map(([path, value]) => [
      path,
      path === "name" || fieldDecidesAccess(type, path) ? { new: value } : { omitted: true },
    ]),
    ...[...unknown].map((path) => [path, { omitted: true }]),
  ]);
  const more: StateDetails = {
    ...(isWhole ? {} : { isPartial: true }),
    ...(tokensEnded === undefined ? {} : { tokensEnded }),
  };
  return { fields: JSON.stringify(changes), details: JSON.stringify({ fields: { ...more } } satisfies RecordDetails) };
}
