import type { DescMessage, Message } from "@bufbuild/protobuf";
import { subtreeOf } from "../contract/uid.ts";
import { type Reader, statement } from "../store/database.ts";
import { type Author, nameOf } from "./author.ts";
import type { AuthoredWriter } from "./authored-writer.ts";
import { type FieldChanges, fieldChanges } from "./field-changes.ts";

/** One entry of the audit log: who did what, and when. */
export interface AuditRecord {
  /** RFC 3339, milliseconds, UTC. */
  readonly time: string;
  readonly actor: Author;
  readonly action: Action;
  /** The type of the resource as in error messages: `role binding`. */
  readonly type: string;
  /** Empty if the record is not about a resource. */
  readonly uid: string;
  readonly fields: FieldChanges;
}

type Action = "create" | "update" | "delete" | "rotate" | "revoke" | "revokeTokens" | "login" | "logout";

const insert = statement(
  (db, p: { time: number; actor: string; author: string; action: string; type: string; uid: string; fields: string }) =>
    db.insertInto("audit_log").values({
      time: p.time,
      actor: p.actor,
      author: p.author,
      action: p.action,
      type: p.type,
      uid: p.uid,
      fields: p.fields,
    }),
);

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
  const common = { time: tx.now, actor: nameOf(tx.author), author: JSON.stringify(tx.author), action: "delete" };
  const rows = changes.map(({ schema, type, uid, before }) => ({
    ...common,
    type,
    uid,
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

/** Adds a record to the log. */
export async function record(
  tx: AuthoredWriter,
  { fields, ...columns }: Omit<AuditRecord, "time" | "actor">,
): Promise<void> {
  const { author, now: time } = tx;
  const texts = { author: JSON.stringify(author), fields: JSON.stringify(fields) };
  await tx.run(insert, { time, actor: nameOf(author), ...texts, ...columns });
}

export interface AuditFilter {
  /** Milliseconds since the epoch. `since` is inclusive, `until` exclusive. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** A resource, which stands for itself and everything below it. */
  readonly uid: string | undefined;
  /** `admin`, `admin/NAME`, `host`, `platform`, or the uid of an identity. */
  readonly actor: string | undefined;
}

const pageSize = 1_000;

/** The records, oldest first. Reads one page per transaction, so that a long log is never held in memory as a whole. */
export async function* readAuditLog(read: ReadTransaction, filter: AuditFilter): AsyncGenerator<AuditRecord> {
  for (let last = 0; ; ) {
    const rows = await read((reader) => page(reader, filter, last));
    for (const { time, author, action, type, uid, fields } of rows)
      yield {
        time: new Date(time).toISOString(),
        actor: JSON.parse(author) as Author,
        action: action as Action,
        type,
        uid,
        fields: JSON.parse(fields) as FieldChanges,
      };
    const end = rows.at(-1);
    if (end === undefined || rows.length < pageSize) return;
    last = end.sequence;
  }
}

type ReadTransaction = <T>(work: (reader: Reader) => Promise<T>) => Promise<T>;

function page(reader: Reader, { since, until, uid, actor }: AuditFilter, last: number) {
  return reader.query((db) => {
    let rows = db.selectFrom("audit_log").selectAll().where("sequence", ">", last);
    if (since !== undefined) rows = rows.where("time", ">=", since);
    if (until !== undefined) rows = rows.where("time", "<", until);
    if (actor !== undefined) rows = rows.where("actor", "=", actor);
    if (uid !== undefined) {
      const { from, to } = subtreeOf(uid);
      rows = rows.where((row) =>
        row.or([row("uid", "=", uid), row.and([row("uid", ">=", from), row("uid", "<", to)])]),
      );
    }
    return rows.orderBy("sequence").limit(pageSize);
  });
}
