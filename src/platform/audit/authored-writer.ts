import type { Quota } from "../limits/quota.ts";
import type { Query, Statement, Writer } from "../store/database.ts";
import type { AuditCharges } from "./audit-charges.ts";
import type { Author } from "./author.ts";

/** The call that makes a change. */
export interface CallDetails {
  /** `muster.platform.iam.v2beta1.GroupsService/CreateGroup`. */
  readonly method: string;
  /** The address of the client. */
  readonly address: string;
}

/** What limits the changes of a call. */
export interface ChangeLimits {
  readonly quota: Quota;
  readonly charges: AuditCharges;
}

/**
 * A write transaction with the author and the time of its changes. Collections accept no other writer, so no resource
 * changes without an audit record in the same transaction.
 */
export class AuthoredWriter implements Writer {
  readonly #writer: Writer;
  readonly author: Author;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Undefined for the platform itself and the commands of its host. */
  readonly limits: ChangeLimits | undefined;
  /** Undefined outside of a call. */
  readonly call: CallDetails | undefined;

  constructor(writer: Writer, author: Author, now: number, limits?: ChangeLimits, call?: CallDetails) {
    this.#writer = writer;
    this.author = author;
    this.now = now;
    this.limits = limits;
    this.call = call;
  }

  all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    return this.#writer.all(statement, parameters);
  }

  first<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined> {
    return this.#writer.first(statement, parameters);
  }

  query<R>(query: Query<R>): Promise<R[]> {
    return this.#writer.query(query);
  }

  run<P extends object>(statement: Statement<P, unknown>, parameters: P): Promise<number> {
    return this.#writer.run(statement, parameters);
  }
}
