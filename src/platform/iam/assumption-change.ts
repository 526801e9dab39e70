import { clone, create, equals } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Identity,
  type Identity_StaticKeys as StaticKeys,
  Identity_StaticKeysSchema as StaticKeysSchema,
  IdentitySchema,
} from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { fingerprintOf, parseJwks } from "../tokens/jwks.ts";

/**
 * How an update changes which subject tokens may assume an identity.
 * - `none`: not at all. The same keys may be written differently.
 * - `keys`: static keys are added or removed, or expire later. What the removed keys vouched for ends.
 * - `replaced`: everything else. The tokens that were issued before it end.
 */
export type AssumptionChange =
  | { readonly kind: "none" }
  | {
      readonly kind: "keys";
      /** The fingerprints of keys. */
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly kind: "replaced" };

const none = { kind: "none" } as const;
const replaced = { kind: "replaced" } as const;

export function assumptionChange(before: Identity, after: Identity): AssumptionChange {
  if (equals(IdentitySchema, assumption(before), assumption(after))) return none;
  const [old, updated] = [before.relationship, after.relationship];
  if (old.case !== "staticKeys" || updated.case !== "staticKeys") return replaced;
  return staticKeysChange(old.value, updated.value);
}

/** The part of an identity that determines which tokens may assume it. */
function assumption({ relationship }: Identity): Identity {
  const only = create(IdentitySchema);
  only.relationship = relationship;
  return only;
}

function staticKeysChange(before: StaticKeys, after: StaticKeys): AssumptionChange {
  if (!equals(StaticKeysSchema, withoutKeys(before), withoutKeys(after))) return replaced;
  const [old, updated] = [parseJwks(before.issuerKeys), parseJwks(after.issuerKeys)];
  if (old === undefined || updated === undefined || updated.others > 0) return replaced;
  const [end, newEnd] = [endOf(before), endOf(after)];
  if (newEnd < end) return replaced;
  const [oldKeys, newKeys] = [old.publicKeys.map(fingerprintOf), updated.publicKeys.map(fingerprintOf)];
  const added = newKeys.filter((key) => !oldKeys.includes(key));
  const removed = oldKeys.filter((key) => !newKeys.includes(key));
  return newEnd > end || added.length > 0 || removed.length > 0 ? { kind: "keys", added, removed } : none;
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
