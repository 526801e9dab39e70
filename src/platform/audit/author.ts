import type { Actor, Admin, Caller } from "../authorization/caller.ts";

/** The author of a change. */
export type Author =
  | Admin
  /** `onBehalfOf`: the subject token that was exchanged for the API token. */
  | { readonly kind: "identity"; readonly uid: string; readonly onBehalfOf: Actor | undefined }
  /** A person who runs a command on the platform's data. */
  | { readonly kind: "host"; readonly command: string }
  /** The platform itself: when it starts, or during a token exchange. */
  | { readonly kind: "platform" }
  /** A client that is not authenticated. */
  | { readonly kind: "anonymous" };

export function authorOf(caller: Caller): Author {
  if (caller.kind === "admin") return caller;
  return { kind: "identity", uid: caller.uid, onBehalfOf: caller.actor };
}

/**
 * The author as the filter `actor` takes it: the uid of an identity, `admin/` and the name of a named admin, or
 * the kind of any other author.
 */
export function nameOf(author: Author): string {
  if (author.kind === "identity") return author.uid;
  return author.kind === "admin" && author.name !== undefined ? `admin/${author.name}` : author.kind;
}
