import { calls, type Check } from "./check.ts";
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

/** A check that finds that read missing. @param identityOf the identity to which a role is bound, or is to be bound */
export function identityUnread<Input extends DecisionInput>(
  identityOf: (observed: Input) => string | undefined,
): Check<Input> {
  const finds = "Whether the identity is the credential of another operator is not known.";
  return calls("identityUnread", finds, (observed) => identityRead(observed, identityOf(observed)));
}
