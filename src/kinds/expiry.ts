import type { Resource } from "#src/api/custom-resource.ts";
import { readTime } from "#src/api/timestamp.ts";

/** When the grant of an object ends. */
export interface Expiry {
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** The field that says it, and what the field says. */
  readonly field: "spec.expiresAt" | "status.expiresAt";
  readonly text: string;
}

/**
 * The expiry that is in force for the grant of an object; undefined if it does not expire.
 *
 * A valid spec says it: whoever may edit the object may extend the grant, or let it last. An invalid spec changes nothing: what
 * the status recorded together with the grant stays in force, whatever the spec says. Where nothing is recorded, as in objects of
 * an earlier version, the time in the invalid spec counts if it can be read.
 * @param invalid why the spec does not match its schema; null or undefined if it does
 */
export function expiryOf({
  resource: { spec, status },
  invalid,
}: {
  readonly resource: Resource;
  readonly invalid: string | null | undefined;
}): Expiry | undefined {
  if (typeof invalid !== "string")
    return spec.expiresAt === undefined
      ? undefined
      : { at: Date.parse(spec.expiresAt), field: "spec.expiresAt", text: spec.expiresAt };
  return readable("status.expiresAt", status?.expiresAt) ?? readable("spec.expiresAt", spec.expiresAt);
}

function readable(field: Expiry["field"], text: string | undefined): Expiry | undefined {
  const at = readTime(text);
  return at === undefined || text === undefined ? undefined : { at, field, text };
}
