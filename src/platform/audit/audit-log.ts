import type { DescMessage, Message } from "@bufbuild/protobuf";
import { rootOf } from "../contract/uid.ts";
import { statement, type Writer } from "../store/database.ts";
import type { AuditRecord, ChangeAction, RecordDetails, RecordForm } from "./audit-record.ts";
import { nameOf } from "./author.ts";
import { admins, type Charge } from "./audit-charges.ts";
import type { AuthoredWriter } from "./authored-writer.ts";
import { fieldChanges } from "./field-changes.ts";
import { takeLastRecord } from "./merge-records.ts";
import type { WaitingEvent } from "./security-event.ts";
import { shortened } from "./short-form.ts";

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

/** What a row takes in the database in addition to its texts (bytes): numbers, and entries of four indexes. */
const rowOverhead = 120;

/** About how much a record takes in the database (bytes). Actor, uid and root are also in an index. */
function sizeOf({ actor, author, action, type, uid, fields, root, method, details }: Sized): number {
  const short = action.length + type.length + method.length + 2 * (uid.length + root.length);
  const long = 2 * Buffer.byteLength(actor) + Buffer.byteLength(author) + Buffer.byteLength(fields);
  return rowOverhead + short + long + Buffer.byteLength(details);
}

type Sized = Pick<
  Insertable,
  "actor" | "author" | "action" | "type" | "uid" | "fields" | "root" | "method" | "details"
>;

const free: Charge = { form: "full", correct: () => {} };

/** Charges a record to the share of its root group. Changes by the host and the platform itself cost nothing. */
function charge(tx: AuthoredWriter, root: string, action: ChangeAction, bytes: number): Promise<Charge> | Charge {
  if (tx.limits === undefined) return free;
  const owner = tx.author.kind === "admin" ? admins : root;
  return tx.limits.charges.charge(tx, { owner, action, bytes, now: tx.now });
}

/** Records that resources below one root group were deleted, in one statement. */
export async function recordDeletions<T extends Message>(
  tx: AuthoredWriter,
  changes: readonly Omit<ResourceChange<T>, "after">[],
): Promise<void> {
  const [first] = changes;
  if (first === undefined) return;
  const root = rootOf(first.uid);
  const common = { ...commonColumns(tx), action: "delete", root } as const;
  const all = changes.map(({ schema, type, uid, before }) => ({
    columns: { ...common, type, uid },
    fields: fieldChanges(schema, before, undefined),
  }));
  const full = all.map(({ columns, fields }) => ({ ...columns, fields: JSON.stringify(fields) }));
  const { form, correct } = await charge(tx, root, "delete", totalSize(full));
  if (form === "full") return void (await tx.query((db) => db.insertInto("audit_log").values(full)));
  const short = all.map(({ columns, fields }) => ({
    ...columns,
    form,
    fields: JSON.stringify(shortened(columns.type, fields)),
  }));
  correct(totalSize(short));
  await tx.query((db) => db.insertInto("audit_log").values(short));
}

function totalSize(rows: readonly Sized[]): number {
  return rows.reduce((sum, row) => sum + sizeOf(row), 0);
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

/** Changes that one record can stand for, if they are made again and again. */
const repeatable: ReadonlySet<ChangeAction> = new Set(["update", "revokeTokens"]);

/**
 * Adds the record of a change to the log: in full, or, if the root group has used up its share of full records of the day, in short
 * form, together with the last one if it is of the same author.
 * @throws ApiError (8) if the root group has used up its share, unless something is deleted
 */
export async function record(
  tx: AuthoredWriter,
  { fields, ...change }: Pick<AuditRecord, "type" | "uid" | "fields"> & { readonly action: ChangeAction },
): Promise<void> {
  const root = rootOf(change.uid);
  const full = { ...commonColumns(tx), ...change, root, fields: JSON.stringify(fields) };
  const { form, correct } = await charge(tx, root, change.action, sizeOf(full));
  if (form === "full") return void (await tx.run(insert, full));
  const short = shortened(change.type, fields);
  const last = repeatable.has(change.action) ? await takeLastRecord(tx, { ...full, fields: short }, tx.now) : undefined;
  const row = {
    ...full,
    form,
    fields: JSON.stringify(last?.fields ?? short),
    change_count: last?.changeCount ?? 1,
    first_time: last?.firstTime ?? tx.now,
  };
  correct(sizeOf(row) - (last === undefined ? 0 : sizeOf(last.columns)));
  await tx.run(insert, row);
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
