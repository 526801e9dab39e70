import { reasons } from "#src/api/reason.ts";
import { type Note, noteText } from "#src/commands/output/note.ts";

/**
 * One step from an object to what decides whether it is Ready. `unknown`: the caller may not read it, so that nothing is
 * concluded from it, and the fix says how it can be known.
 */
export type Link = LinkText &
  ({ readonly state: "ok" | "problem" } | { readonly state: "unknown"; readonly fix: Note });

interface LinkText {
  /** What it is to the object before it: `object`, the path of a reference such as `spec.groupRef`, `Tenant`, `leader`. */
  readonly link: string;
  /** Its name, such as `shop/Group/web`. */
  readonly subject: string;
  /** The reason of its condition, if it has one. */
  readonly reason?: string;
  /** Since when its condition is what it is; RFC 3339. */
  readonly since?: string;
  /** The check of the operator's policy that its status comes from, as in docs/policy.md. */
  readonly decidedBy?: string;
  /** What was found, on one line. */
  readonly message: string;
  /** What to do about it. Absent if there is nothing wrong, or nothing to do; never if it is unknown. */
  readonly fix?: Note;
}

/** A link as programs read it: its fix is one line. */
export type LinkValue = Omit<LinkText, "fix"> & { readonly state: Link["state"]; readonly fix?: string };

export function linkValue({ fix, ...rest }: Link): LinkValue {
  return fix === undefined ? rest : { ...rest, fix: noteText(fix) };
}

/** Links, and those of them that nothing further explains. */
export interface Finding {
  readonly links: readonly Link[];
  readonly causes: readonly Link[];
}

export const nothing: Finding = { links: [], causes: [] };

/** A finding of a single link, which is its own cause if it is a problem. */
export function findingOf(link: Link): Finding {
  return { links: [link], causes: link.state === "problem" ? [link] : [] };
}

/** What the reference documentation says about a reason: the meaning and the fix. Undefined for one of a newer operator. */
export function documented(
  reason: string | undefined,
): { readonly meaning: string; readonly fix?: string } | undefined {
  return reason !== undefined && Object.hasOwn(reasons, reason) ? reasons[reason as keyof typeof reasons] : undefined;
}
