import { pausedAnnotation } from "#src/api/annotations.ts";
import type { OpenAccess } from "#src/api/public-issuers.ts";
import { refusalText } from "#src/api/refused-pattern.ts";
import type { Expiry } from "#src/kinds/expiry.ts";
import { sentence } from "#src/text/sentence.ts";

/**
 * The texts that people read in conditions and events (`kubectl describe`). Texts about one subject are in a file of their own,
 * such as `absence-messages.ts`; this one has the others. The message of a condition has three parts: what is wrong, where
 * (the field or the uid), and how to fix it. A kind's `noun` never follows an indefinite article, because it may start with a
 * vowel.
 */

export function ready(noun: string): string {
  return `The ${noun} exists on the platform and matches the spec.`;
}

export function paused(): string {
  return `The annotation ${pausedAnnotation} pauses the reconciliation. Remove it to resume.`;
}

export function referencesResolved(): string {
  return "All references in the spec are resolved.";
}

export function rolesUnread(): string {
  return "The references cannot be resolved before the roles of the platform have been read.";
}

/** @param details starts with the path of the field. @param expiry when the grant ends nevertheless */
export function invalidSpec(details: string, expiry: Expiry | undefined): string {
  const ends = expiry === undefined ? "" : ` Until then, the grant still ends at ${expiry.text} (${expiry.field}).`;
  return `The spec does not match its schema: ${sentence(details)} Correct this field.${ends}`;
}

export function withoutParent(): string {
  return "The spec names no group above the resource. Create this object again with one.";
}

export function created(noun: string, parent: string): string {
  return `Created the ${noun} below ${parent} on the platform.`;
}

export function updated(fields: string): string {
  return `Updated on the platform: ${fields}.`;
}

export function openAccess(issuer: string, { example, refusal }: OpenAccess): string {
  const pattern = "spec.claimMatch.subjectPattern";
  if (example !== undefined)
    return `Anybody with an account at ${issuer} can assume this identity, for example with the subject ${example}. Set spec.claimMatch.subject, or let every match of ${pattern} begin with the name of your organization.`;
  const who = `Strangers with an account at ${issuer} may be able to assume this identity`;
  return refusal === undefined
    ? `${who}: ${pattern} can match a subject that does not begin with the name of your organization. Set spec.claimMatch.subject, or begin each alternative of the pattern with that name as literal text.`
    : `${who}: how matches of ${pattern} begin is unknown, because ${refusalText(refusal)}`;
}

export function recovered(noun: string, reason: string): string {
  return `The ${noun} matches the spec again; the previous reason was ${reason}.`;
}
