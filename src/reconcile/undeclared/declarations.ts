import { expiryOf } from "#src/kinds/expiry.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, objectOf, ownerOf } from "#src/kinds/marker.ts";
import { recordedNaturalKey } from "#src/kinds/records.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import { hasRecordOf } from "#src/reconcile/observe/claimed-state.ts";
import { findingOf } from "#src/reconcile/observe/finding.ts";
import { identityIn, operatorOf } from "#src/reconcile/observe/operator-identities.ts";
import { referencesOf } from "#src/reconcile/observe/references.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { permitsParent } from "#src/reconcile/tenancy/boundary.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { grantOf } from "#src/platform-client/grant.ts";

export type DeclarationSources = Pick<
  Sources,
  "kinds" | "stores" | "tenancy" | "owners" | "ownerId" | "serviceAccounts" | "publicIssuers" | "clock"
>;

/**
 * What the objects of the cluster declare, as of one moment. To declare a resource is more than to name it: an object
 * declares the resource whose uid the operator recorded in its status, the resource with its marker as long as no uid is
 * recorded, and every role binding that equals the one that it may have. An editor who writes the uid of somebody else's
 * grant into an object hides nothing: the object has no such status, and its references are denied.
 */
export interface Declarations {
  /** The groups that the objects of each Tenant manage, observe or name by uid, within its boundary. By the Tenant's name. */
  readonly usedGroups: ReadonlyMap<string, ReadonlySet<string>>;
  /** How many resources other than groups the objects of each Tenant have. By the Tenant's name. */
  readonly managed: ReadonlyMap<string, number>;
  isDeclared(session: PlatformSession, kind: Kind, external: ExternalResource): boolean;
  /**
   * Whether an operator of another class may have created the resource a moment ago for one of its objects, whose status does
   * not name it yet. A marker can be forged, so this may delay a report but never prevent it.
   */
  mayBeRecordedSoon(kind: Kind, external: ExternalResource): boolean;
}

/** Reads every object once. */
export function readDeclarations(sources: DeclarationSources): Declarations {
  const usedGroups = new Map<string, Set<string>>();
  const managed = new Map<string, number>();
  const grants = new Set<string>();
  const unrecordedElsewhere = new Set<string>();
  for (const kind of sources.kinds)
    for (const cached of sources.stores.get(kind.name).values()) {
      const governance = sources.tenancy.governanceOf(cached.resource);
      if (governance.by === "unserved" && cached.resource.status?.uid === undefined)
        unrecordedElsewhere.add(findingOf(kind).areEqualsDoubtful ? kind.name : cached.objectHash);
      if (governance.by !== "tenant") continue;
      const { context } = governance;
      const used = usedGroups.get(context.name) ?? new Set();
      usedGroups.set(context.name, used);
      for (const group of groupsOf(kind, cached)) if (permitsParent(context.boundary, group)) used.add(group);
      if (kind.name !== "Group" && cached.resource.status?.uid !== undefined)
        managed.set(context.name, (managed.get(context.name) ?? 0) + 1);
      const grant = findingOf(kind).areEqualsDoubtful ? grantKeyOf(sources, context, kind, cached) : undefined;
      if (grant !== undefined) grants.add(grant);
    }
  const allUsed = new Set([...usedGroups.values()].flatMap((groups) => [...groups]));
  return {
    usedGroups,
    managed,
    isDeclared: (session, kind, external) =>
      isInStatus(sources, kind, external) ||
      (findingOf(kind).areEqualsDoubtful
        ? isGranted(kind, external, grants)
        : isBeingCreated(sources, kind, external)) ||
      isPartOfTheSetup(sources, session, kind, external, allUsed),
    mayBeRecordedSoon: (kind, external) => {
      if (findingOf(kind).areEqualsDoubtful) return unrecordedElsewhere.has(kind.name);
      const marker = carriedMarker(external);
      return marker !== undefined && unrecordedElsewhere.has(objectOf(marker));
    },
  };
}

/** The groups that an object manages or observes, or in which it has or wants its resource. */
function groupsOf(kind: Kind, { resource, invalid }: CachedResource): string[] {
  const { status } = resource;
  const named = invalid === undefined ? kind.references(resource) : [];
  return [
    ...(kind.name === "Group" && status?.uid !== undefined ? [status.uid] : []),
    ...(status?.parentUid === undefined ? [] : [status.parentUid]),
    ...named.flatMap(({ purpose, target }) => (purpose === "parent" && target.by === "uid" ? [target.uid] : [])),
  ];
}

/** What identifies the role binding that an object has, or may have; undefined if it may have none. */
function grantKeyOf(
  sources: DeclarationSources,
  context: TenantContext,
  kind: Kind,
  cached: CachedResource,
): string | undefined {
  const { resource, invalid } = cached;
  const expiry = expiryOf(cached);
  if (expiry !== undefined && expiry.at <= sources.clock.now()) return undefined;
  const recorded = recordedNaturalKey(kind, resource.status);
  if (recorded !== undefined) return recorded;
  if (invalid !== undefined) return undefined;
  const references = referencesOf(sources, context, kind, resource, "");
  if (references.are !== "resolved") return undefined;
  // Before it is recorded, the object takes what its spec names, and no equal role binding.
  const { uid } = resource.spec;
  return uid === undefined ? references.naturalKey : namedKey(references.naturalKey, uid);
}

/** Whether the status of an object names the resource. */
export function isInStatus(
  { stores, owners }: Pick<DeclarationSources, "stores" | "owners">,
  { name }: Kind,
  external: ExternalResource,
): boolean {
  return stores
    .get(name)
    .index("claims", external.uid)
    .some((cached) => hasRecordOf(owners, cached, external));
}

/** Whether an object without a recorded uid will find the resource by its marker. */
function isBeingCreated({ stores, owners }: DeclarationSources, { name }: Kind, external: ExternalResource): boolean {
  const marker = carriedMarker(external);
  if (marker === undefined || !isMarkerOf(owners, marker)) return false;
  return stores
    .get(name)
    .index("object", objectOf(marker))
    .some(({ resource }) => resource.status?.uid === undefined);
}

/** The key of the role binding with this uid, if it is as the object describes it. */
function namedKey(naturalKey: string, uid: string): string {
  return `${naturalKey} ${uid}`;
}

function isGranted({ collection }: Kind, external: ExternalResource, grants: ReadonlySet<string>): boolean {
  const key = collection.naturalKeyOf(external);
  return key !== undefined && (grants.has(key) || grants.has(namedKey(key, external.uid)));
}

/** Whether the settings of the operator, a Tenant, or the uid in a spec name the resource as what the objects rest upon. */
function isPartOfTheSetup(
  sources: DeclarationSources,
  session: PlatformSession,
  { name, collection }: Kind,
  external: ExternalResource,
  usedGroups: ReadonlySet<string>,
): boolean {
  const { uid } = external;
  const { roots } = session;
  if (name === "Group") return usedGroups.has(uid) || roots.includes(uid);
  if (isCredentialHere(sources, session, uid)) return true;
  const grant = grantOf(external);
  const group = collection.uids.parentOf(uid);
  // Without a grant at or above its roots, a credential could do nothing. Any other grant to it is worth a report.
  return (
    grant !== undefined &&
    group !== undefined &&
    isCredentialHere(sources, session, grant.identity.uid) &&
    roots.some((root) => isWithin(root, group))
  );
}

/** Whether the identity is a credential of this cluster: of this operator, of one of another class, or of a Tenant. */
function isCredentialHere(sources: DeclarationSources, session: PlatformSession, uid: string): boolean {
  const { tenancy, kinds, ownerId } = sources;
  if (tenancy.credentialIdentities.has(uid)) return true;
  const identity = identityIn(kinds, session, uid);
  const operator = identity === undefined ? undefined : operatorOf(sources, identity);
  return operator?.split("/")[0] === ownerId;
}

/** Whether `marker` is of one of these owners. */
export function isMarkerOf(owners: readonly string[], marker: string): boolean {
  return owners.includes(ownerOf(marker));
}
