import { parentField } from "#src/kinds/parent-reference.ts";
import type { Kind, Vouching } from "#src/kinds/kind.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import type { CachedResource } from "#src/reconcile/observe/cached-resource.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { permitsKind, permitsParent } from "#src/reconcile/tenancy/boundary.ts";
import type { People } from "./listed-people.ts";

type ProviderSources = Pick<Sources, "kinds" | "stores" | "tenancy">;

/**
 * Whether an object, in any state, declares an identity provider in the group or above it that the platform does not have,
 * or has with another issuer. Its people are people nevertheless: somebody may have deleted or changed it by mistake, or to have
 * its people removed. An object that never had a provider counts only where its Tenant lets it have one: otherwise anybody who
 * may create an object would keep everything undeclared, everywhere.
 */
export function isProviderAbsent(
  sources: ProviderSources,
  people: Pick<People, "hasProvider">,
  group: string,
): boolean {
  for (const kind of sources.kinds) {
    const { vouching } = kind;
    if (vouching === null) continue;
    for (const cached of sources.stores.get(kind.name).values())
      if (mayBeAbove(sources, kind, cached, group) && !isPresent(vouching, cached, people)) return true;
  }
  return false;
}

/** What cannot be read names no issuer. A provider of another issuer lets other people in: those of the object are unknown. */
function isPresent(vouching: Vouching, { resource, invalid }: CachedResource, people: Pick<People, "hasProvider">) {
  const uid = resource.status?.uid;
  return invalid === undefined && uid !== undefined && people.hasProvider(uid, vouching.issuerOf(resource));
}

/** Whether the object has its provider in the group or above it, or may come to have it there. */
function mayBeAbove(sources: ProviderSources, kind: Kind, cached: CachedResource, group: string): boolean {
  const { status } = cached.resource;
  const parent = status?.parentUid ?? groupNamedBy(sources, kind, cached);
  if (status?.uid !== undefined) return parent === undefined || isWithin(group, parent);
  // The uid of a provider that is gone is in the status no longer, but how it was managed is.
  if (status?.management !== undefined && parent !== undefined) return isWithin(group, parent);
  const governance = sources.tenancy.governanceOf(cached.resource);
  if (governance.by !== "tenant") return false;
  const { boundary } = governance.context;
  if (!permitsKind(boundary, kind.name) || !permitsParent(boundary, parent ?? group)) return false;
  return parent === undefined || isWithin(group, parent);
}

/** The uid of the group that the object names, or of that of the Group that it names; undefined if it is not known yet. */
function groupNamedBy(
  { stores }: ProviderSources,
  kind: Kind,
  { resource, invalid }: CachedResource,
): string | undefined {
  if (invalid !== undefined) return undefined;
  const target = parentField(kind, resource)?.target;
  if (target?.by === "uid") return target.uid;
  if (target?.by !== "resource") return undefined;
  const { namespace = resource.metadata.namespace ?? "", name } = target.reference;
  return stores.get(target.kind).get(`${namespace}/${name}`)?.resource.status?.uid;
}
