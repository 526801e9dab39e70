import type { Author } from "./author.ts";
import type { FieldChanges } from "./field-changes.ts";

/** What was done to a resource, or to a key or token of the platform. */
export type ChangeAction = "create" | "update" | "delete" | "rotate" | "revoke" | "revokeTokens";

/**
 * How much a record says.
 * - `event`: what happened changed no resource.
 * - `full`: a change, with the old and new values of its fields.
 * - `short`: one or more changes, without old values (`short-form.ts`).
 * - `state`: not a change, but the fields of a resource after its oldest records, which retention has deleted.
 */
export type RecordForm = "event" | "full" | "short" | "state";

/** What happened without a change of a resource. */
export type EventAction =
  /** A person logged in. */
  | "login"
  /** A person logged out: the family of the login was ended. */
  | "logout"
  /** A subject token was exchanged for an API token. */
  | "exchange"
  /** A refresh token was exchanged for the next. */
  | "refresh"
  /** A refresh token was used twice, so it has probably leaked, and its family was ended. */
  | "reuse"
  /** A call, exchange or login was refused. */
  | "refuse"
  /** An admin token was used to read. */
  | "use"
  /** Events were left out, because there were too many. */
  | "omit";

/** One entry of the audit log: who did what, and when. */
export interface AuditRecord {
  /** Increases in the order in which records were committed. */
  readonly sequence: number;
  /** RFC 3339, milliseconds, UTC. */
  readonly time: string;
  readonly actor: Author;
  readonly action: ChangeAction | EventAction | "state";
  readonly form: RecordForm;
  /** How many changes the record stands for; 0 for an event and for a state. */
  readonly changeCount: number;
  /** The time of the first of the changes, as `time`, which is that of the last. */
  readonly firstTime: string;
  /** The type of the resource as in error messages: `role binding`. */
  readonly type: string;
  /** Decides who can read the record. Empty if the record is not about a resource. */
  readonly uid: string;
  readonly fields: FieldChanges;
  /** Empty outside of a call. */
  readonly method: string;
  /** The gRPC code of the call. */
  readonly code: number;
  readonly details: RecordDetails;
}

/** What is known of some records only. Never a token or a secret. */
export interface RecordDetails {
  /** The address of the client. */
  readonly address?: string;
  /** Why a call was refused. */
  readonly reason?: string;
  /** How many events like this one were left out in the same minute. */
  readonly omitted?: number;
  /** Other values by name, as JSON. */
  readonly fields?: Readonly<Record<string, unknown>>;
}
