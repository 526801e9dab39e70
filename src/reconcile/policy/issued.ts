import type { Fields } from "#src/kinds/fields.ts";
import type { BySecret } from "#src/kinds/identification.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ResolvedUids } from "#src/kinds/reference-field.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { minutes } from "#src/time/durations.ts";
import type { DecisionInput } from "./decision-input.ts";
import { fieldDifferences } from "./field-differences.ts";

// What is known of the resource of an object of a kind that issues codes. See `issue.ts`.

/** The input of a decision about an object of a kind that issues codes. */
export type IssueInput = DecisionInput & { readonly kind: Kind & { readonly identification: BySecret } };

/** Whether the resource is gone, or can no longer be created: redeemed, deleted or expired. The status says so for good. */
export function hasEnded({ resource: { status } }: IssueInput): boolean {
  return status?.management !== undefined && status.uid === undefined;
}

/** Whether the status says nothing of a resource: neither of one that exists nor of one that is gone. */
export function isUnrecorded({ resource: { status } }: IssueInput): boolean {
  return status?.management === undefined;
}

/** The uid of the resource whose code is in the Secret that the spec names. */
export function heldUid({ secret }: DecisionInput): string | undefined {
  return secret?.is === "found" ? (secret.issuedUid ?? undefined) : undefined;
}

/** Whether `external` is what the spec describes, with the role that the status records. */
export function equalsRecord({ kind, resource }: IssueInput, external: ExternalResource): boolean {
  const { roleUid } = resource.status ?? {};
  return (
    roleUid !== undefined && hasFields(kind, kind.identification.code.fields(resource, { role: roleUid }), external)
  );
}

function hasFields(kind: Kind, fields: Fields, external: ExternalResource): boolean {
  return fieldDifferences(kind, fields, external).length === 0;
}

/**
 * Whether `external` is the resource of the object: the status records it, this process created it, or the Secret names it
 * and it is what the spec describes.
 */
export function ownsIssued(observed: IssueInput, external: ExternalResource): boolean {
  const { kind, state, resource } = observed;
  const { uid } = external;
  if (resource.status?.uid !== undefined) return resource.status.uid === uid;
  if (state.issued !== undefined) return state.issued.uid === uid;
  const uids = meantUids(observed);
  return (
    heldUid(observed) === uid &&
    uids !== undefined &&
    uids.parent === kind.collection.uids.parentOf(uid) &&
    hasFields(kind, kind.identification.code.fields(resource, uids), external)
  );
}

/** Whether nothing but the Secret says that there is a resource: whoever can write the Secret can name any. */
export function isOnlyHeld(observed: IssueInput): boolean {
  return isUnrecorded(observed) && observed.state.issued === undefined && heldUid(observed) !== undefined;
}

/** Whether it cannot be known yet whether the resource that only the Secret names is the object's. */
export function isUnidentified(observed: IssueInput): boolean {
  return isOnlyHeld(observed) && meantUids(observed) === undefined;
}

/** The uids that the references mean, whether or not the Tenant permits them now; undefined if one of them is not known. */
function meantUids({ kind, resource, references, unrecorded }: IssueInput): ResolvedUids | undefined {
  if (references.are === "resolved") return references.uids;
  if (unrecorded?.is !== "identified") return undefined;
  const { uids } = unrecorded;
  return kind.references(resource).every(({ purpose }) => uids[purpose] !== undefined) ? uids : undefined;
}

/**
 * Whether no process created anything for the object that could be found, or named: a code that is in no Secret is lost, and
 * what has it cannot be recognized.
 */
export function guardsNoIssued(observed: IssueInput): boolean {
  const { state, secret, settledAt, resource, references } = observed;
  if (hasEnded(observed)) return true;
  if (resource.status?.uid !== undefined || state.issued !== undefined || state.posted !== undefined) return false;
  // Which Secret an invalid spec named is not known.
  if (observed.invalid !== null) return true;
  if (heldUid(observed) !== undefined) return false;
  if (state.bornHere) return true;
  // Where the references say what the object describes, a list shows what an earlier process may have left.
  const isListable = references.are === "resolved" || references.are === "unread";
  return !isListable && secret !== null && secret.readAt >= settledAt;
}

/** The clocks of the operator and the platform may differ by this much. */
const clockToleranceMs = minutes(5);

/** Whether `external` expires when the spec says, or does not say when it does. */
export function expiresAsDescribed({ kind, resource: { spec } }: IssueInput, external: ExternalResource): boolean {
  const actual = kind.identification.code.expirationOf(external);
  return actual === "" || Math.abs(Date.parse(actual) - Date.parse(spec.expiresAt ?? "")) <= clockToleranceMs;
}

/** Whether `external` has a code that nobody can use any longer, whichever clock is right. */
export function hasSurelyExpired({ identification }: Kind, external: ExternalResource, wallClock: number): boolean {
  return Date.parse(identification.expirationOf(external)) <= wallClock - clockToleranceMs;
}

/** No message names more of them. */
const maxLost = 10;

/**
 * The uids of those that this object may have created, and whose codes were lost; undefined if none was. Equal ones are
 * legitimate: nothing proves it.
 */
export function lostUids(observed: IssueInput): readonly string[] | undefined {
  const equal = observed.matches.filter((match) => expiresAsDescribed(observed, match));
  if (equal.length === 0 && observed.state.posted === undefined) return undefined;
  return equal.map(({ uid }) => uid).slice(0, maxLost);
}
