/**
 * The description of the operator's identity on the platform records who uses the identity: ` [muster-owner:<owner id>]`.
 * Two live clusters that share their manifests, and so their markers, would otherwise delete for each other.
 */
const opening = "[muster-owner:";
const pattern = / ?\[muster-owner:([^\s\]]{1,160})\]/g;

/** What an owner id may look like: the uid of a namespace, or a name of the user's choice. */
export const ownerIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The owner that an operator is recorded as. Operators of different classes in one cluster are different owners. */
export function ownerOf(ownerId: string, operatorClass = ""): string {
  return operatorClass === "" ? ownerId : `${ownerId}/${operatorClass}`;
}

/** The owner that `description` records. */
export function recordedOwner(description: string): string | undefined {
  // Each decision asks for the identities that it concerns, and hardly any is an operator's.
  if (!description.includes(opening)) return undefined;
  return Array.from(description.matchAll(pattern)).at(-1)?.[1];
}

/** `description` with `owner` as the only recorded owner, or with none. */
export function withRecordedOwner(description: string, owner: string | undefined): string {
  const text = description.replaceAll(pattern, "");
  if (owner === undefined) return text;
  return `${text === "" ? "" : `${text} `}[muster-owner:${owner}]`;
}
