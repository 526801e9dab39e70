import type { Actor } from "../authorization/caller.ts";
import { identityShares, networkShares, type Share } from "../shares/share.ts";
import type { EventAction } from "./audit-record.ts";
import { type Author, nameOf } from "./author.ts";
import type { CallDetails } from "./authored-writer.ts";

/** Something that changes no resource, but that matters for security. It contains no token and no secret. */
export interface SecurityEvent {
  readonly action: EventAction;
  readonly author: Author;
  /** The type of the resource: `identity`; empty without a resource. */
  readonly type: string;
  /** The uid of the resource that it is about, which decides who can read the record; empty for the admin only. */
  readonly uid: string;
  /** The name of the method; a path for what is not a method of the contract. */
  readonly method: string;
  /** A gRPC code; 0 for success. */
  readonly code: number;
  /** Why it was refused; empty for success. At most 1,500 characters. */
  readonly reason: string;
  /** The address of the client. */
  readonly address: string;
  /** What else those who can read the record may know. Its texts and lists are bounded. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** The event of something that an identity did. @param actor whose token it exchanged, or who logged in as it */
export function identityEvent(
  action: EventAction,
  { identity: uid, actor: onBehalfOf }: { readonly identity: string; readonly actor: Actor },
  { method, address }: CallDetails,
): SecurityEvent {
  const author = { kind: "identity", uid, onBehalfOf } as const;
  return { action, author, type: "identity", uid, method, code: 0, reason: "", address };
}

/** An event that is admitted to the log. */
export interface WaitingEvent {
  readonly event: SecurityEvent;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** How many events like it were left out. */
  readonly omitted: number;
}

/** The constant messages of log lines. */
export const messageOf: Readonly<Record<EventAction, string>> = {
  login: "person logged in",
  logout: "person logged out",
  exchange: "token exchanged",
  refresh: "token refreshed",
  reuse: "token or code reused; what came from it was ended",
  refuse: "call refused",
  use: "admin token used",
  omit: "security events left out",
};

/** Whose events are limited together: strangers cannot use up what is recorded of others. */
export type EventClass = "anonymous" | "identity" | "admin";

export function classOf({ author }: SecurityEvent): EventClass {
  if (author.kind === "anonymous" || author.kind === "identity") return author.kind;
  return "admin";
}

/** Stands for events of which none is recorded. @param reason empty: there were too many */
export function omissionOf(reason: string): SecurityEvent {
  return { action: "omit", author: { kind: "platform" }, type: "", uid: "", method: "", code: 0, reason, address: "" };
}

/** Those who caused an event, of each of whom a limited number is recorded. */
export function sharesOf({ author, address }: SecurityEvent): readonly Share[] {
  if (author.kind === "anonymous") return networkShares(address);
  return author.kind === "identity" ? identityShares(author.uid) : [{ scope: "identity", key: nameOf(author) }];
}

/** Events of one cause are the same, apart from their time. */
export function causeOf(event: SecurityEvent): string {
  const { action, author, uid, method, code, address } = event;
  const who = author.kind === "anonymous" ? address : nameOf(author);
  const subject = author.kind === "identity" ? (author.onBehalfOf?.sub ?? "") : "";
  return `${action} ${method} ${code} ${uid} ${who} ${subject}`;
}
