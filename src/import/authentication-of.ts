import type { Authentication } from "#src/api/identity.ts";
import { type ExternalIdentity, identityKind } from "#src/kinds/identity.ts";

const methods = ["claimMatch", "staticKeys", "awsIdentity"] as const;

/**
 * Who may assume an identity, as a spec says it; empty if the platform says it in a way that no spec has. The order of the
 * fields does not depend on the platform's.
 */
export function authenticationOf(identity: ExternalIdentity): Authentication {
  const actual = identityKind.actual(identity, {});
  const set = methods.filter((method) => actual[method] !== undefined);
  return Object.fromEntries(set.map((method) => [method, inOrder(actual[method])]));
}

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, inOrder(field)]));
}
