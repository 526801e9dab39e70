import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Caller } from "../../access/caller.ts";
import { ApiError } from "../../errors/api-error.ts";
import { PageTokens } from "../../resources/page-token.ts";
import { servicesOf } from "../../services.ts";
import type { Service } from "../../service/service.ts";
import { Sessions } from "../../service/session.ts";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";
import type { Reader, Database, Writer } from "#src/platform/store/database.ts";
import { MasterKey } from "../../tokens/key-file.ts";
import { callOf, uidsOf } from "./asked.ts";
import { Exchange } from "./exchange.ts";
import { now, settings } from "./host.ts";
import type { Answer } from "./model.ts";
import type { Question } from "./question.ts";

/** The platform's services on a store of their own, without a port: what they decide, as fast as they do. */
export class InProcess {
  readonly store: SqliteDatabase;
  readonly #folder = mkdtempSync(join(tmpdir(), "muster-access-"));
  readonly #masterKey = new MasterKey(new Uint8Array(32));
  readonly #real: readonly Service[];
  readonly #hypothetical: readonly Service[];

  constructor() {
    this.store = new SqliteDatabase(join(this.#folder, "data"));
    const masterKey = this.#masterKey;
    const sessionsOn = (store: Database) =>
      new Sessions(store, () => now, settings, new PageTokens(masterKey.derive("page token")));
    this.#real = servicesOf(sessionsOn(this.store), masterKey);
    this.#hypothetical = servicesOf(sessionsOn(new UndoingStore(this.store)), masterKey);
  }

  /** Where callers get their tokens. */
  exchange(): Promise<Exchange> {
    return Exchange.on(this.store, this.#masterKey);
  }

  /** What the platform would answer; nothing changes. */
  async ask(caller: Caller, question: Question): Promise<Answer> {
    try {
      const { method, request } = callOf(question);
      const uids = uidsOf(question, await call(this.#hypothetical, caller, method, request));
      return { code: 0, ...(uids === undefined ? {} : { uids }) };
    } catch (error) {
      if (error instanceof ApiError) return { code: error.code };
      throw error;
    }
  }

  /** Does it, as the admin. @throws ApiError */
  tell(question: Question): Promise<Message> {
    const { method, request } = callOf(question);
    return this.do(method, request);
  }

  /** Calls a method, as the admin. @throws ApiError */
  do(method: DescMethod, request: Message): Promise<Message> {
    return call(this.#real, { kind: "admin" }, method, request);
  }

  /** Whether a text stands anywhere in what is kept on disk. */
  keeps(text: string): boolean {
    return readdirSync(this.#folder).some((file) => readFileSync(join(this.#folder, file)).includes(text));
  }

  async close(): Promise<void> {
    await this.store.close();
    rmSync(this.#folder, { recursive: true });
  }
}

function call(services: readonly Service[], caller: Caller, method: DescMethod, request: Message): Promise<Message> {
  const service = services.find(({ desc }) => desc === method.parent);
  if (service?.authentication !== "required") throw new Error(`${method.parent.typeName} is not served`);
  return service.handler(method)(request, { caller });
}

/** Writes on it are done to their end, and undone: each finds the same world. */
class UndoingStore implements Database {
  readonly #store: Database;

  constructor(store: Database) {
    this.#store = store;
  }

  read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#store.read(work);
  }

  async write<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    let done: { readonly value: T } | undefined;
    try {
      return await this.#store.write(async (writer) => {
        done = { value: await work(writer) };
        throw new Undone();
      });
    } catch (error) {
      if (error instanceof Undone && done !== undefined) return done.value;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

class Undone extends Error {}
