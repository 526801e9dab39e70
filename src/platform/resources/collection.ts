import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Capability } from "../access/capability.ts";
import { recordResource } from "../audit/audit-log.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { type Reader, type Statement, statement } from "../store/database.ts";
import type { ResourceColumns, ResourceTable } from "../store/schema/tables.ts";
import { parentOf } from "../contract/uid.ts";
import type { Order, SortColumn } from "./order.ts";
import { addToTreeCounts, forgetTreeCounts } from "./tree-counts.ts";

/** What all resources of the contract share. */
type ResourceMessage = { uid: string; name?: string; createTime?: Timestamp; updateTime?: Timestamp };

/** The columns of a table beside those that every resource has. */
type OwnColumns = Readonly<Record<string, string | number | null>>;

/** What differs between collections, as far as keeping and finding resources goes. */
export interface CollectionDescription<D extends DescMessage> {
  readonly schema: D;
  readonly table: ResourceTable;
  /** What one is called in messages to people: `role binding`. */
  readonly type: string;
  /** What several are called: `role bindings`. */
  readonly types: string;
  /** One a group: the resource has the uid of the group that it is in, and is a child of it. */
  readonly oneAGroup?: true;
  /** List and Get need it. */
  readonly listCapability: Capability;
  readonly sortable: readonly SortColumn[];
  readonly defaultOrder: Order;
  /** The names of the table's own columns, and their values for a resource. */
  readonly ownColumns: readonly string[];
  readonly columnsOf: (message: MessageShape<D>) => OwnColumns;
  /**
   * The part that a resource is in, of those parts that a List may leave out and so are counted by themselves too;
   * undefined for whatever no List leaves out. An update does not change it.
   */
  readonly partOf?: (message: MessageShape<D>) => string | undefined;
}

/** Backends bound the parameters of one query. */
const maximumParameters = 1_000;

export const byUid: Order = { column: "uid", direction: "asc" };

/** The resources of one sort in the store: messages in, messages out. Knows no caller and no rule. */
export class Collection<D extends DescMessage = DescMessage> {
  readonly description: CollectionDescription<D>;
  readonly #select: Statement<{ uid: string }, Pick<ResourceColumns, "body">>;
  readonly #insert: Statement<OwnColumns, unknown>;
  readonly #update: Statement<OwnColumns, unknown>;
  readonly #delete: Statement<{ uid: string }, unknown>;

  constructor(description: CollectionDescription<D>) {
    this.description = description;
    const { table, ownColumns } = description;
    const pick = (parameters: object, names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, (parameters as Readonly<Record<string, never>>)[name]])) as never;
    const changing = ["name", "update_time", "body", ...ownColumns];
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

  /** The uid of what the resource is in; `undefined` for a root. */
  parentOf(uid: string): string | undefined {
    return this.description.oneAGroup ? uid : parentOf(uid);
  }

  async find(reader: Reader, uid: string): Promise<MessageShape<D> | undefined> {
    const row = await reader.first(this.#select, { uid });
    return row === undefined ? undefined : this.parse(row.body);
  }

  /** Those of the uids that exist, by uid. */
  async findAll(reader: Reader, uids: Iterable<string>): Promise<Map<string, MessageShape<D>>> {
    const wanted = [...new Set(uids)];
    const found = new Map<string, MessageShape<D>>();
    for (let start = 0; start < wanted.length; start += maximumParameters) {
      const some = wanted.slice(start, start + maximumParameters);
      const rows = await reader.query((db) =>
        db.selectFrom(this.description.table).select(["uid", "body"]).where("uid", "in", some),
      );
      for (const row of rows) found.set(row.uid, this.parse(row.body));
    }
    return found;
  }

  async insert(writer: AuthoredWriter, message: MessageShape<D>): Promise<void> {
    const row = this.#row(message);
    await writer.run(this.#insert, row);
    await this.#record(writer, row.uid, undefined, message);
    await this.#count(writer, row.uid, message, 1);
  }

  async update(writer: AuthoredWriter, message: MessageShape<D>): Promise<void> {
    const row = this.#row(message);
    const before = await this.find(writer, row.uid);
    if ((await writer.run(this.#update, row)) > 0) await this.#record(writer, row.uid, before, message);
  }

  /** Whether there was one. */
  async delete(writer: AuthoredWriter, uid: string): Promise<boolean> {
    const before = await this.find(writer, uid);
    if (before === undefined) return false;
    await writer.run(this.#delete, { uid });
    await this.#record(writer, uid, before, undefined);
    await this.#count(writer, uid, before, -1);
    if (!this.description.oneAGroup) await forgetTreeCounts(writer, uid);
    return true;
  }

  parse(body: Uint8Array): MessageShape<D> {
    return fromBinary(this.description.schema, body);
  }

  async #count(writer: AuthoredWriter, uid: string, message: MessageShape<D>, change: 1 | -1): Promise<void> {
    const { table, partOf } = this.description;
    await addToTreeCounts(writer, table, uid, change);
    const part = partOf?.(message);
    if (part !== undefined) await addToTreeCounts(writer, `${table}/${part}`, uid, change);
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

  #row(message: MessageShape<D>): OwnColumns & { uid: string } {
    const { uid, name, createTime, updateTime } = message as unknown as ResourceMessage;
    const created = createTime === undefined ? 0 : timestampMs(createTime);
    const row = {
      uid,
      parent: this.parentOf(uid) ?? null,
      name: name ?? "",
      create_time: created,
      update_time: updateTime === undefined ? created : timestampMs(updateTime),
      body: toBinary(this.description.schema, message),
      ...this.description.columnsOf(message),
    };
    return row as unknown as OwnColumns & { uid: string };
  }
}
