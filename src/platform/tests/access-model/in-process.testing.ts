import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Caller } from "#src/platform/authorization/caller.ts";
import { AuditAccounts } from "#src/platform/audit/audit-accounts.ts";
import { ApiError } from "#src/platform/errors/api-error.ts";
import { PageTokens } from "#src/platform/resources/page-token.ts";
import { servicesOf } from "#src/platform/services.ts";
import type { Service } from "#src/platform/service/service.ts";
import { Transactions } from "#src/platform/service/transaction.ts";
import type { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";
import { newSqliteDatabase } from "#src/platform/tests/new-sqlite-database.testing.ts";
import type { Reader, Database, Writer } from "#src/platform/store/database.ts";
import { MasterKey } from "#src/platform/tokens/master-key.ts";
import { protoCallOf, uidsOf } from "./proto-call.testing.ts";
import { Exchange } from "./exchange.testing.ts";
import { insertWorld } from "./insert-world.testing.ts";
import { now, settings } from "./settings.testing.ts";
import type { ExpectedResult } from "./model.testing.ts";
import type { Call } from "./call.testing.ts";
import type { World } from "./world.testing.ts";

/** The platform's services on a database of their own, without a port, which is much faster. */
export class InProcess {
  readonly database: SqliteDatabase;
  readonly #folder: string;
  readonly #masterKey = new MasterKey(new Uint8Array(32));
  readonly #committed: readonly Service[];
  readonly #rolledBack: readonly Service[];

  private constructor(folder: string, database: SqliteDatabase) {
    this.#folder = folder;
    this.database = database;
    const masterKey = this.#masterKey;
    const sessionsOn = (store: Database) =>
      new Transactions(
        store,
        () => now,
        settings,
        new PageTokens(masterKey.derive("page token")),
        new AuditAccounts(settings.quota),
      );
    this.#committed = servicesOf(sessionsOn(this.database), masterKey);
    this.#rolledBack = servicesOf(sessionsOn(new RollingBackDatabase(this.database)), masterKey);
  }

  /** The platform with everything that is in the world. */
  static async of(world: World): Promise<InProcess> {
    const folder = mkdtempSync(join(tmpdir(), "muster-access-"));
    const database = await newSqliteDatabase(join(folder, "data"));
    await database.write((tx) => insertWorld(tx, world));
    return new InProcess(folder, database);
  }

  /** The token exchange of this platform. */
  exchange(): Promise<Exchange> {
    return Exchange.on(this.database, this.#masterKey);
  }

  /** Makes a call and rolls its changes back. @returns its code, and the uids that a List returns */
  async dryRun(caller: Caller, call: Call): Promise<ExpectedResult> {
    try {
      const { method, request } = protoCallOf(call);
      const uids = uidsOf(call, await send(this.#rolledBack, caller, method, request));
      return { code: 0, ...(uids === undefined ? {} : { uids }) };
    } catch (error) {
      if (error instanceof ApiError) return { code: error.code };
      throw error;
    }
  }

  /** Makes a call as the admin. @throws {ApiError} */
  perform(call: Call): Promise<Message> {
    const { method, request } = protoCallOf(call);
    return this.call(method, request);
  }

  /** Calls a method, by default as the admin. @throws {ApiError} */
  call(method: DescMethod, request: Message, caller: Caller = { kind: "admin" }): Promise<Message> {
    return send(this.#committed, caller, method, request);
  }

  /** Whether a text is anywhere in the files of the database. */
  stores(text: string): boolean {
    return readdirSync(this.#folder).some((file) => readFileSync(join(this.#folder, file)).includes(text));
  }

  async close(): Promise<void> {
    await this.database.close();
    rmSync(this.#folder, { recursive: true });
  }
}

function send(services: readonly Service[], caller: Caller, method: DescMethod, request: Message): Promise<Message> {
  const service = services.find(({ desc }) => desc === method.parent);
  const handler = service?.authentication === "required" ? service.handler(method) : undefined;
  if (handler === undefined) throw new Error(`${method.parent.typeName} does not serve ${method.name}`);
  return handler(request, { caller, method: method.name, address: "127.0.0.1" });
}

/** Rolls every write back when it has run: each finds the same world. */
class RollingBackDatabase implements Database {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#database.read(work);
  }

  async write<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    let done: { readonly value: T } | undefined;
    try {
      return await this.#database.write(async (writer) => {
        done = { value: await work(writer) };
        throw new RolledBack();
      });
    } catch (error) {
      if (error instanceof RolledBack && done !== undefined) return done.value;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

class RolledBack extends Error {}
