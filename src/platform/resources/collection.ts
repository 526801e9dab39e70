import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  isFieldSet,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Capability } from "../authorization/capability.ts";
import { recordDeletions, recordResource } from "../audit/audit-log.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { parentOf } from "../contract/uid.ts";
import { type ApiError, invalidArgument } from "../errors/api-error.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import { type Reader, type Statement, statement } from "../store/database.ts";
import { settleAll } from "../store/settle-all.ts";
import type { ResourceColumns, ResourceTable, Tables } from "../store/schema/tables.ts";
import type { Order, SortColumn } from "./order.ts";
import { selectPageRows } from "./select-page-rows.ts";
import { checkLimits } from "./resource-limits.ts";
import { add, type Addition, additionFor, additionsOf, deleteTreeCounts } from "./tree-counts.ts";

/** The fields that resources of the contract share. */
type ResourceMessage = { uid: string; name?: string; createTime?: Timestamp; updateTime?: Timestamp };

/** The columns of a table in addition to those that every resource has. */
type OwnColumns<T extends ResourceTable> = Omit<Tables[T], keyof ResourceColumns>;

/** The values of a row, by column. */
type Row = Readonly<Record<string, unknown>>;

/** A row with the columns that every table has. */
type ResourceRow = Row & { readonly uid: string; readonly body: Uint8Array };

/** The properties that differ between collections. */
export interface CollectionDescription<D extends DescMessage, T extends ResourceTable> {
  readonly schema: D;
  readonly table: T;
  /** The singular for error messages: `role binding`. */
  readonly type: string;
  /** The plural: `role bindings`. */
  readonly types: string;
  /** The collection of the parents; undefined for resources that are directly in groups. */
  readonly parent?: Collection;
  /** A group has at most one such resource, which has the group's uid and counts as its child. */
  readonly singleton?: true;
  /** The capability that List and Get require. */
  readonly listCapability: Capability;
  readonly sortable: readonly SortColumn[];
  readonly defaultOrder: Order;
  /** The table's own columns, each with the function that returns its value for a resource. */
  readonly columns: {
    readonly [C in keyof OwnColumns<T>]: (message: MessageShape<D>) => OwnColumns<T>[C];
  };
  /**
   * The partition of a resource. A List may exclude partitions, so each is also counted separately. Undefined for
   * resources that no List excludes. An update never changes the partition.
   */
  readonly partitionOf?: (message: MessageShape<D>) => string | undefined;
  /** The identity for which a resource is counted in addition; an update may change it. */
  readonly identityOf?: (message: MessageShape<D>) => string;
}

/** The most bytes of a resource. */
const { value: maximumBytes } = sizeLimits.resource;

/** The parameters of one query: with its rows, it has as many bytes as a page. */
const maximumParameters = 200;

/** The counts that one statement changes when several resources are deleted. */
const additionsTogether = 64;

export const byUid: Order = { column: "uid", direction: "asc" };

/** The resources of one type in the database, as messages. It applies no rules and checks no permissions. */
export class Collection<D extends DescMessage = DescMessage, T extends ResourceTable = ResourceTable> {
  readonly description: CollectionDescription<D, T>;
  readonly #ownColumns: readonly (readonly [string, (message: MessageShape<D>) => unknown])[];
  readonly #select: Statement<{ uid: string }, Pick<ResourceColumns, "body">>;
  readonly #insert: Statement<Row, unknown>;
  readonly #update: Statement<Row, unknown>;
  readonly #delete: Statement<{ uid: string }, unknown>;

  constructor(description: CollectionDescription<D, T>) {
    this.description = description;
    this.#ownColumns = Object.entries(description.columns);
    // The statements use only the columns that all tables of resources share.
    const table: ResourceTable = description.table;
    const pick = (parameters: object, names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, (parameters as Readonly<Record<string, never>>)[name]])) as never;
    const changing = ["name", "update_time", "body", ...this.#ownColumns.map(([column]) => column)];
    this.#select = statement((db, { uid }) => db.selectFrom(table).select("body").where("uid", "=", uid));
    this.#insert = statement((db, parameters) =>
      db.insertInto(table).values(pick(parameters, ["uid", "parent", "create_time", ...changing])),
    );
    this.#update = statement((db, parameters) =>
      db
        .updateTable(table)
        .set(pick(parameters, changing))
        .where("uid", "=", pick(parameters, ["uid"])["uid"]),
    );
    this.#delete = statement((db, { uid }) => db.deleteFrom(table).where("uid", "=", uid));
  }

  /** The uid of the parent of a resource; `undefined` for a root. */
  parentOf(uid: string): string | undefined {
    return this.description.singleton ? uid : parentOf(uid);
  }

  async find(reader: Reader, uid: string): Promise<MessageShape<D> | undefined> {
    const stored = await this.findStored(reader, uid);
    return stored === undefined ? undefined : this.parse(stored);
  }

  /** A resource as it is stored. */
  async findStored(reader: Reader, uid: string): Promise<Uint8Array | undefined> {
    return (await reader.first(this.#select, { uid }))?.body;
  }

  /**
   * The resources that exist, by uid, each in the form that `summary` gives it. Large resources are read one after the other,
   * so that only their summaries are in memory together.
   */
  async findAll<S>(
    reader: Reader,
    uids: Iterable<string>,
    summary: (message: MessageShape<D>) => S,
  ): Promise<Map<string, S>> {
    const { table } = this.description;
    const wanted = [...new Set(uids)];
    const found = new Map<string, S>();
    for (let start = 0; start < wanted.length; start += maximumParameters) {
      const some = wanted.slice(start, start + maximumParameters);
      const rows = await reader.query((db) => selectPageRows(db, table).where("uid", "in", some));
      for (const { uid, body } of rows) {
        const message = body === null ? await this.find(reader, uid) : this.parse(body);
        if (message !== undefined) found.set(uid, summary(message));
      }
    }
    return found;
  }

  /** Those of the uids that resources have. */
  async existing(reader: Reader, uids: Iterable<string>): Promise<Set<string>> {
    const table: ResourceTable = this.description.table;
    const wanted = [...new Set(uids)];
    const found = new Set<string>();
    for (let start = 0; start < wanted.length; start += maximumParameters) {
      const some = wanted.slice(start, start + maximumParameters);
      const rows = await reader.query((db) => db.selectFrom(table).select("uid").where("uid", "in", some));
      for (const { uid } of rows) found.add(uid);
    }
    return found;
  }

  /** @throws ApiError (3) if the resource is too large */
  async insert(writer: AuthoredWriter, message: MessageShape<D>): Promise<void> {
    const row = this.#row(message);
    this.#checkSize(row, message, undefined);
    await settleAll([
      writer.run(this.#insert, row),
      this.#record(writer, row.uid, undefined, message),
      this.#count(writer, row.uid, message, 1),
    ]);
  }

  /** @throws ApiError (3) if the resource is too large, unless an earlier version stored one that was no smaller */
  async update(writer: AuthoredWriter, message: MessageShape<D>): Promise<void> {
    const row = this.#row(message);
    const before = await this.find(writer, row.uid);
    this.#checkSize(row, message, before);
    if ((await writer.run(this.#update, row)) === 0) return;
    await this.#record(writer, row.uid, before, message);
    const { identityOf } = this.description;
    if (identityOf === undefined || before === undefined || identityOf(before) === identityOf(message)) return;
    const moved = [additionFor(identityOf(before), -1), additionFor(identityOf(message), 1)];
    await add(writer, moved);
    await this.#check(writer, moved.slice(1));
  }

  /** @returns whether the resource existed */
  async delete(writer: AuthoredWriter, uid: string): Promise<boolean> {
    const before = await this.find(writer, uid);
    if (before === undefined) return false;
    await writer.run(this.#delete, { uid });
    await this.#record(writer, uid, before, undefined);
    await this.#count(writer, uid, before, -1);
    if (!this.description.singleton) await deleteTreeCounts(writer, uid);
    return true;
  }

  /** Deletes resources with a few statements for all of them. They have no children. */
  async deleteAll(writer: AuthoredWriter, uids: readonly string[]): Promise<void> {
    const { schema, type } = this.description;
    const table: ResourceTable = this.description.table;
    const found = [...(await this.findAll(writer, uids, (message) => message))];
    await writer.query((db) => db.deleteFrom(table).where("uid", "in", uids));
    await recordDeletions(
      writer,
      found.map(([uid, before]) => ({ schema, type, uid, before })),
    );
    const additions = new Map<string, Addition>();
    for (const [uid, message] of found)
      for (const addition of this.#additions(uid, message, -1)) {
        const key = `${addition.kind} ${addition.scope}`;
        const sum = additions.get(key);
        additions.set(key, {
          ...addition,
          children: addition.children + (sum?.children ?? 0),
          descendants: addition.descendants + (sum?.descendants ?? 0),
        });
      }
    const all = [...additions.values()];
    for (let start = 0; start < all.length; start += additionsTogether)
      await add(writer, all.slice(start, start + additionsTogether));
  }

  parse(body: Uint8Array): MessageShape<D> {
    return fromBinary(this.description.schema, body);
  }

  async #count(writer: AuthoredWriter, uid: string, message: MessageShape<D>, change: 1 | -1): Promise<void> {
    const additions = this.#additions(uid, message, change);
    await add(writer, additions);
    if (change === 1) await this.#check(writer, additions);
  }

  /** What a resource that was created (1) or deleted (-1) adds to counts. */
  #additions(uid: string, message: MessageShape<D>, change: 1 | -1): Addition[] {
    const { table, partitionOf, identityOf } = this.description;
    const additions = additionsOf(table, uid, change);
    if (identityOf !== undefined) additions.push(additionFor(identityOf(message), change));
    const partition = partitionOf?.(message);
    if (partition !== undefined) additions.push(...additionsOf(`${table}/${partition}`, uid, change));
    return additions;
  }

  /** @throws ApiError (8) if a count exceeds its limit */
  async #check(writer: AuthoredWriter, counts: readonly Addition[]): Promise<void> {
    if (writer.limits !== undefined) await checkLimits(writer, counts, writer.limits.quota);
  }

  #record(
    writer: AuthoredWriter,
    uid: string,
    before: MessageShape<D> | undefined,
    after: MessageShape<D> | undefined,
  ): Promise<void> {
    const { schema, type } = this.description;
    return recordResource(writer, { schema, type, uid, before, after });
  }

  #checkSize({ body }: ResourceRow, message: MessageShape<D>, before: MessageShape<D> | undefined): void {
    if (body.length <= maximumBytes) return;
    const { schema, type } = this.description;
    if (before === undefined || toBinary(schema, before).length < body.length) throw tooLarge(schema, type, message);
  }

  #row(message: MessageShape<D>): ResourceRow {
    const { uid, name, createTime, updateTime } = message as unknown as ResourceMessage;
    const created = createTime === undefined ? 0 : timestampMs(createTime);
    const row: Record<string, unknown> & ResourceRow = {
      uid,
      parent: this.parentOf(uid) ?? null,
      name: name ?? "",
      create_time: created,
      update_time: updateTime === undefined ? created : timestampMs(updateTime),
      body: toBinary(this.description.schema, message),
    };
    for (const [column, valueOf] of this.#ownColumns) row[column] = valueOf(message);
    return row;
  }
}

/** The error for a resource that is too large, which names its largest field. */
function tooLarge<D extends DescMessage>(desc: D, type: string, message: MessageShape<D>): ApiError {
  const [largest] = desc.fields
    .filter((field) => isFieldSet(message, field))
    .map((field) => ({ field, bytes: bytesOf(desc, message, field) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  return invalidArgument(
    largest?.field.jsonName ?? "body",
    `the ${type} must have at most ${maximumBytes / 1024} KiB; this field has ${Math.ceil((largest?.bytes ?? 0) / 1024)} KiB`,
  );
}

function bytesOf<D extends DescMessage>(desc: D, message: MessageShape<D>, { localName, oneof }: DescField): number {
  const name = oneof?.localName ?? localName;
  const only = create(desc) as Record<string, unknown>;
  only[name] = (message as Readonly<Record<string, unknown>>)[name];
  return toBinary(desc, only as MessageShape<D>).length;
}
