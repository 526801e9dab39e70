import { minutes } from "#src/time/durations.ts";
import type { Selectable } from "kysely";
import { statement, type Writer } from "../store/database.ts";
import type { Tables } from "../store/schema/tables.ts";
import type { FieldChanges } from "./field-changes.ts";
import { merged } from "./short-form.ts";

/** For how long (ms) changes of one author to one resource are added to one record. */
const period = minutes(1);
/** The records of a resource that are searched for its last change; the others are events, which change nothing. */
const searched = 16;

const lastOfResource = statement((db, p: { uid: string; searched: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("audit_log")
        .selectAll()
        .where("uid", "=", p.uid)
        .orderBy("sequence", "desc")
        .limit(p.searched)
        .as("last"),
    )
    .selectAll()
    .where("form", "!=", "event")
    .orderBy("sequence", "desc")
    .limit(1),
);
const deleteOne = statement((db, p: { sequence: number }) =>
  db.deleteFrom("audit_log").where("sequence", "=", p.sequence),
);

/** What two records must have in common to become one, and what the later one adds. */
interface ShortRecord {
  readonly uid: string;
  readonly actor: string;
  readonly action: string;
  readonly fields: FieldChanges;
}

/** A record that a later one takes in. */
export interface TakenRecord {
  /** Of both changes. */
  readonly fields: FieldChanges;
  readonly changeCount: number;
  readonly firstTime: number;
  /** The columns of the record that was deleted. */
  readonly columns: Selectable<Tables["audit_log"]>;
}

/**
 * Deletes the last record of the resource if it is one of the same author for the same action, in short form and less than a minute
 * old: the new record stands for both then. It has a new sequence, because the record before it may have been read already.
 * @returns undefined if there is no such record
 */
export async function takeLastRecord(
  tx: Writer,
  { uid, actor, action, fields }: ShortRecord,
  now: number,
): Promise<TakenRecord | undefined> {
  const last = await tx.first(lastOfResource, { uid, searched });
  if (last === undefined || last.form !== "short" || last.actor !== actor || last.action !== action) return undefined;
  if (now - last.first_time >= period) return undefined;
  await tx.run(deleteOne, { sequence: last.sequence });
  return {
    fields: merged(JSON.parse(last.fields) as FieldChanges, fields),
    changeCount: last.change_count + 1,
    firstTime: last.first_time,
    columns: last,
  };
}
