import type { DescMessage, Message } from "@bufbuild/protobuf";
import { rootOf } from "../contract/uid.ts";
import { statement, type Writer } from "../store/database.ts";
import type { AuditRecord, ChangeAction, RecordDetails, RecordForm } from "./audit-record.ts";
import { nameOf } from "./author.ts";
import type { AuthoredWriter } from "./authored-writer.ts";
import { fieldChanges } from "./field-changes.ts";
import type { WaitingEvent } from "./security-event.ts";

const insert = statement((db, p: Insertable) =>
  db.insertInto("audit_log").values({
    time: p.time,
    actor: p.actor,
    author: p.author,
    action: p.action,
    type: p.type,
    uid: p.uid,
    fields: p.fields,
    root: p.root,
    method: p.method,
    code: p.code,
    form: p.form,
    change_count: p.change_count,
    first_time: p.first_time,
    details: p.details,
  }),
);

interface Insertable {
  readonly time: number;
  readonly actor: string;
  readonly author: string;
  readonly action: string;
  readonly type: string;
  readonly uid: string;
  readonly fields: string;
  readonly root: string;
  readonly method: string;
  readonly code: number;
  readonly form: RecordForm;
  readonly change_count: number;
  readonly first_time: number;
  readonly details: string;
}

interface ResourceChange<T extends Message> {
  readonly schema: DescMessage;
  readonly type: string;
  readonly uid: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** Records that resources were deleted, in one statement. */
export async function recordDeletions<T extends Message>(
  tx: AuthoredWriter,
  changes: readonly Omit<ResourceChange<T>, "after">[],
): Promise<void> {
  if (changes.length === 0) return;
  const common = { ...commonColumns(tx), action: "delete" };
  const rows = changes.map(({ schema, type, uid, before }) => ({
    ...common,
    type,
    uid,
    root: rootOf(uid),
    fields: JSON.stringify(fieldChanges(schema, before, undefined)),
  }));
  await tx.query((db) => db.insertInto("audit_log").values(rows));
}

/** Records a change of a resource. An update that leaves every field unchanged is not recorded. */
export async function recordResource<T extends Message>(
  tx: AuthoredWriter,
  { schema, type, uid, before, after }: ResourceChange<T>,
): Promise<void> {
  const fields = fieldChanges(schema, before, after);
  const action = before === undefined ? "create" : after === undefined ? "delete" : "update";
  if (action !== "update" || Object.keys(fields).length > 0) await record(tx, { action, type, uid, fields });
}

/** Adds the record of a change to the log. */
export async function record(
  tx: AuthoredWriter,
  { fields, ...columns }: Pick<AuditRecord, "type" | "uid" | "fields"> & { readonly action: ChangeAction },
): Promise<void> {
  await tx.run(insert, {
    ...commonColumns(tx),
    ...columns,
    root: rootOf(columns.uid),
    fields: JSON.stringify(fields),
  });
}

/** The columns that all records of a transaction share. */
function commonColumns({ author, now: time, call }: AuthoredWriter) {
  return {
    time,
    actor: nameOf(author),
    author: JSON.stringify(author),
    method: call?.method ?? "",
    details: call === undefined ? "" : JSON.stringify({ address: call.address } satisfies RecordDetails),
    code: 0,
    form: "full",
    change_count: 1,
    first_time: time,
  } as const;
}

/** Adds an event that `SecurityLog` has admitted to the log. */
export async function insertEvent(tx: Writer, { event, time, omitted }: WaitingEvent): Promise<void> {
  const { action, author, type, uid, method, code, reason, address, fields } = event;
  const details: RecordDetails = {
    ...(address === "" ? {} : { address }),
    ...(reason === "" ? {} : { reason }),
    ...(omitted === 0 ? {} : { omitted }),
    ...(fields === undefined ? {} : { fields }),
  };
  await tx.run(insert, {
    time,
    actor: nameOf(author),
    author: JSON.stringify(author),
    action,
    type,
    uid,
    fields: "{}",
    root: rootOf(uid),
    method,
    code,
    form: "event",
    change_count: 0,
    first_time: time,
    details: JSON.stringify(details),
  });
}
