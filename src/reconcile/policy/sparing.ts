import type { SparingReason } from "#src/reconcile/observe/observed.ts";

/**
 * Which of the resources that nobody declared are removed. Removal is a privilege of few: a Group object that manages the
 * group says Remove, its Tenant allows it, and nothing that Muster knows speaks for the resource. Every fact that is not
 * known speaks for it.
 */

/** What is known of a group in which removal was asked for. */
export interface GroupFacts {
  readonly tenantAllows: boolean;
  /** Whether the Group object manages the group: it is neither only observed nor a root group. */
  readonly managed: boolean;
  /** Whether every store was listed, so that no object is missed, and a resync ran since removal was asked for. */
  readonly synced: boolean;
  /** Whether all identity providers of the group, and of the groups above, are known. */
  readonly providersKnown: boolean;
  /** Whether the platform has every identity provider that an object declares in the group, or in one above. */
  readonly declaredProvidersPresent: boolean;
  /** Whether an identity of another owner is in the group or bound there: then the other owner may have made anything. */
  readonly otherOwnerPresent: boolean;
}

/** What is known of one resource in it. */
export interface ResourceFacts {
  readonly kind: string;
  /** Whether the resource is within the Tenant's groups and is not one that Muster never writes. */
  readonly inBounds: boolean;
  /** The identity, or the identity that a role binding is for; null if it cannot be read. */
  readonly identity: IdentityFacts | null;
  /** Of an identity: whether a role binding of it exists. The platform would delete it, too. */
  readonly bound: boolean;
  /** In how many consecutive resyncs the resource was seen. */
  readonly seenIn: number;
  /** How often an equal resource was removed within the last hour, before this one was first seen. */
  readonly recentRemovals: number;
  /** Whether its removal was attempted since the last resync. */
  readonly attempted: boolean;
}

export interface IdentityFacts {
  /** Whether the operator or a Tenant uses it as its credential. */
  readonly credential: boolean;
  readonly breakGlass: boolean;
  /** Whose marker it carries; `orphan`: that of an object of ours that does not exist. */
  readonly marker: "none" | "ours" | "orphan" | "foreign";
  /** Whether an identity provider of its group, or above, has its issuer. */
  readonly person: boolean;
}

/** The kinds that may be removed. All others are only reported: groups contain others, and roles are the work of people. */
const removableKinds: ReadonlySet<string> = new Set(["RoleBinding", "Identity"]);
/** A resource is removed after it was seen in this number of consecutive resyncs. */
const resyncsBeforeRemoval = 2;
/** What is removed this often within an hour has another writer. */
const removalsPerHour = 3;

/** Why nothing in the group may be removed; undefined if removal is possible. */
export function reasonToSpareGroup(group: GroupFacts): SparingReason | undefined {
  if (!group.tenantAllows) return "tenantReports";
  if (!group.managed) return "groupNotManaged";
  if (!group.synced) return "notSynced";
  if (!group.providersKnown) return "providersUnknown";
  if (!group.declaredProvidersPresent) return "providerAbsent";
  return group.otherOwnerPresent ? "otherOwnerPresent" : undefined;
}

/** Why the resource may not be removed, whatever else may be removed; undefined if it may be. */
export function reasonToSpare({ kind, inBounds, identity, ...resource }: ResourceFacts): SparingReason | undefined {
  if (!removableKinds.has(kind)) return "onlyReported";
  if (!inBounds) return "outOfBounds";
  if (identity === null) return "identityUnknown";
  if (identity.credential) return "credential";
  if (identity.breakGlass) return "breakGlass";
  if (identity.marker === "foreign") return "otherOwner";
  // The resources of an object that is missing here are removed only on request: its manifest may be applied again.
  if (identity.marker === "orphan") return "orphan";
  if (identity.person) return "person";
  if (resource.bound) return "bound";
  if (resource.recentRemovals >= removalsPerHour) return "cameBack";
  if (resource.attempted) return "attempted";
  return resource.seenIn < resyncsBeforeRemoval ? "seenOnce" : undefined;
}
