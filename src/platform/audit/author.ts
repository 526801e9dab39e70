import type { Actor, Caller } from "../access/caller.ts";

/** In whose name something is changed. */
export type Author =
  | { readonly kind: "admin" }
  /** `onBehalfOf`: whom the token that was exchanged for the identity speaks of. */
  | { readonly kind: "identity"; readonly uid: string; readonly onBehalfOf: Actor | undefined }
  /** Whoever runs a command where the platform's data is. */
  | { readonly kind: "host"; readonly command: string }
  /** The platform by itself: at its start, or by an exchange. */
  | { readonly kind: "platform" };

export function authorOf(caller: Caller): Author {
  if (caller.kind === "admin") return caller;
  return { kind: "identity", uid: caller.uid, onBehalfOf: caller.actor };
}

/** What `muster platform audit --actor` finds the author by: the uid of an identity, or the word for the others. */
export function nameOf(author: Author): string {
  return author.kind === "identity" ? author.uid : author.kind;
}
