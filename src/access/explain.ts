import { type AccessModel, bindingGives, bindingsOn, noLimits, type TokenLimits } from "./access-model.ts";
import type { KnownBinding } from "./access-state.ts";
import { expiredAt } from "./expiry.ts";
import { type Unread, unreadBindingsOn, unreadRoles } from "./unread.ts";

export interface AccessQuestion {
  /** The uid of the identity. */
  readonly identity: string;
  /** By the name of the contract. */
  readonly capability: string;
  /** The uid of a group, or of a resource in one. */
  readonly at: string;
  /** Default: a token without limits. */
  readonly limits?: TokenLimits;
}

/**
 * - `yes`: a role binding grants the capability.
 * - `no`: everything that could grant it was read, and nothing does; or nobody can use the identity.
 * - `unknown`: nothing that was read grants it, and something could not be read.
 */
export type Decision = "yes" | "no" | "unknown";

export interface AccessAnswer {
  readonly decision: Decision;
  /** The role bindings that grant the capability, from the root down. */
  readonly through: readonly KnownBinding[];
  /** The other role bindings of the identity that apply: their roles do not have the capability, or the token does not. */
  readonly others: readonly KnownBinding[];
  /** The role bindings of the identity that apply, and whose roles cannot be read. */
  readonly undecided: readonly KnownBinding[];
  /** What could grant the capability, too, and could not be read. */
  readonly unread: readonly Unread[];
  /** RFC 3339: when the identity's static keys have expired. Then nobody can use it, whatever it is granted. */
  readonly expired?: string;
}

/**
 * Whether an identity has a capability, and through which role bindings.
 * @param now milliseconds since the epoch
 */
export function explain(model: AccessModel, question: AccessQuestion, now: number): AccessAnswer {
  const { identity, capability, at, limits = noLimits } = question;
  const own = bindingsOn(model, at).filter((binding) => binding.identity.uid === identity);
  const effect = (binding: KnownBinding) => bindingGives(model, binding, { at, capability, limits });
  const through = own.filter((binding) => effect(binding) === true);
  const undecided = own.filter((binding) => effect(binding) === undefined);
  const unread = [...unreadBindingsOn(model, at), ...unreadRoles(undecided)];
  const expired = expiredAt(model.identities.get(identity), now);
  const granted: Decision = through.length > 0 ? "yes" : unread.length > 0 ? "unknown" : "no";
  return {
    decision: expired === undefined ? granted : "no",
    through,
    others: own.filter((binding) => effect(binding) === false),
    undecided,
    unread,
    ...(expired === undefined ? {} : { expired }),
  };
}
