import { type Selectable, sql } from "kysely";
import { type Reader, statement } from "../store/database.ts";
import type { Tables } from "../store/schema/tables.ts";
import type { AuditRecord, RecordDetails } from "./audit-record.ts";
import type { Author } from "./author.ts";
import type { FieldChanges } from "./field-changes.ts";
import { queryRecords, type RecordFilter } from "./record-query.ts";

/** About what the names and short fields of a record take (bytes). */
const overhead = 500;

/**
 * The records, in the order of their sequences: as many of the first ones as have this number of bytes together, and at least
 * one. A record may be as large as two resources.
 */
export async function recordsWithin(
  reader: Reader,
  sequences: readonly number[],
  maximumBytes: number,
): Promise<AuditRecord[]> {
  if (sequences.length === 0) return [];
  const sizes = await reader.query((db) =>
    db
      .selectFrom("audit_log")
      .select(["sequence", sql<number>`length(author) + length(fields) + length(details)`.as("bytes")])
      .where("sequence", "in", sequences),
  );
  const bytesOf = new Map(sizes.map(({ sequence, bytes }) => [sequence, bytes + overhead]));
  let bytes = 0;
  const end = sequences.findIndex((sequence) => (bytes += bytesOf.get(sequence) ?? 0) > maximumBytes);
  const chosen = end < 0 ? sequences : sequences.slice(0, Math.max(end, 1));
  const rows = await reader.query((db) => db.selectFrom("audit_log").selectAll().where("sequence", "in", chosen));
  const recordBySequence = new Map(rows.map((row) => [row.sequence, recordOf(row)]));
  return chosen.flatMap((sequence) => recordBySequence.get(sequence) ?? []);
}

/** A row of the log. */
export function recordOf(row: Selectable<Tables["audit_log"]>): AuditRecord {
  const { sequence, time, author, action, form, change_count, first_time, type, uid, fields, method, code, details } =
    row;
  return {
    sequence,
    time: new Date(time).toISOString(),
    actor: JSON.parse(author) as Author,
    action: action as AuditRecord["action"],
    form: form as AuditRecord["form"],
    changeCount: change_count,
    firstTime: new Date(first_time).toISOString(),
    type,
    uid,
    fields: JSON.parse(fields) as FieldChanges,
    method,
    code,
    details: details === "" ? {} : (JSON.parse(details) as RecordDetails),
  };
}

const sequencesAfter = statement((db, p: { after: number; limit: number }) =>
  db.selectFrom("audit_log").select("sequence").where("sequence", ">", p.after).orderBy("sequence").limit(p.limit),
);

/** The next records of the whole log, as many as fit. @param after the sequence of the record before them; 0 for the first */
export async function nextRecords(
  reader: Reader,
  after: number,
  { limit, maximumBytes }: { readonly limit: number; readonly maximumBytes: number },
): Promise<AuditRecord[]> {
  const found = await reader.all(sequencesAfter, { after, limit });
  return recordsWithin(
    reader,
    found.map(({ sequence }) => sequence),
    maximumBytes,
  );
}

type ReadTransaction = <T>(work: (reader: Reader) => Promise<T>) => Promise<T>;

/** The records of one transaction, so that a long log is never held in memory as a whole. */
const chunk = { limit: 500, maximumBytes: 4 * 1024 * 1024 };

/** The records that the filter selects, oldest first, in several transactions. */
export async function* readAuditLog(read: ReadTransaction, filter: RecordFilter): AsyncGenerator<AuditRecord> {
  let cursor: number | undefined;
  do {
    const { records, next } = await read((reader) => readChunk(reader, filter, cursor));
    yield* records;
    cursor = next;
  } while (cursor !== undefined);
}

async function readChunk(
  reader: Reader,
  filter: RecordFilter,
  cursor: number | undefined,
): Promise<{ readonly records: readonly AuditRecord[]; readonly next: number | undefined }> {
  const { limit, maximumBytes } = chunk;
  const selection = { coverage: "everywhere", direction: "asc", skip: 0 } as const;
  const { sequences, examinedUntil } = await queryRecords(reader, { ...selection, filter, cursor, limit });
  const records = await recordsWithin(reader, sequences, maximumBytes);
  const isWhole = records.length === sequences.length && sequences.length < limit;
  return { records, next: isWhole ? examinedUntil : records.at(-1)?.sequence };
}
