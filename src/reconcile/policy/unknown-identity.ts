import type { DecisionInput } from "./decision-input.ts";
import type { PlatformStep } from "./step.ts";

/**
 * The read that is missing before a role is bound to `identity`, or a role binding of it is taken over or deleted: only the
 * identity itself shows whether another operator uses it as its credential. Undefined if nothing is missing.
 */
export function identityRead(
  { unknownIdentities }: DecisionInput,
  identity: string | undefined,
): PlatformStep | undefined {
  return identity !== undefined && unknownIdentities.includes(identity) ? { do: "readIdentity", identity } : undefined;
}
