import { isDeepStrictEqual } from "node:util";
import { clone, create, equals } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Identity,
  type Identity_StaticKeys as StaticKeys,
  Identity_StaticKeysSchema as StaticKeysSchema,
  IdentitySchema,
} from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { parseJwks } from "../tokens/jwks.ts";

/**
 * How an update changes which subject tokens may assume an identity.
 * - `none`: not at all. The same keys may be written differently.
 * - `extended`: static keys are added or expire later. Whatever vouched for a token still does, so tokens remain valid.
 * - `replaced`: everything else. The tokens that were issued before it end.
 */
export type AssumptionChange = "none" | "extended" | "replaced";

export function assumptionChange(before: Identity, after: Identity): AssumptionChange {
  if (equals(IdentitySchema, assumption(before), assumption(after))) return "none";
  const [old, updated] = [before.relationship, after.relationship];
  if (old.case !== "staticKeys" || updated.case !== "staticKeys") return "replaced";
  return staticKeysChange(old.value, updated.value);
}

/** The part of an identity that determines which tokens may assume it. */
function assumption({ relationship }: Identity): Identity {
  const only = create(IdentitySchema);
  only.relationship = relationship;
  return only;
}

function staticKeysChange(before: StaticKeys, after: StaticKeys): AssumptionChange {
  if (!equals(StaticKeysSchema, withoutKeys(before), withoutKeys(after))) return "replaced";
  const [old, updated] = [parseJwks(before.issuerKeys), parseJwks(after.issuerKeys)];
  if (old === undefined || updated === undefined || updated.others > 0) return "replaced";
  const [end, newEnd] = [endOf(before), endOf(after)];
  if (newEnd < end || !areIn(old.publicKeys, updated.publicKeys)) return "replaced";
  return newEnd > end || !areIn(updated.publicKeys, old.publicKeys) ? "extended" : "none";
}

function withoutKeys(keys: StaticKeys): StaticKeys {
  const rest = clone(StaticKeysSchema, keys);
  rest.issuerKeys = "";
  delete rest.expirationTime;
  return rest;
}

/** An expiry that is not set becomes the latest possible one, at least as late as any that is stored. */
function endOf({ expirationTime }: StaticKeys): number {
  return expirationTime === undefined ? Number.POSITIVE_INFINITY : timestampMs(expirationTime);
}

/** Whether each key is among the others, with the same members. */
function areIn(keys: readonly object[], others: readonly object[]): boolean {
  return keys.every((key) => others.some((other) => isDeepStrictEqual(key, other)));
}
