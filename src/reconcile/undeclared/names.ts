import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, objectOf } from "#src/kinds/marker.ts";
import { keyOf } from "#src/kube/object.ts";
import { StoreIndex } from "#src/kube/store-index.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { type CachedResource, claimedUids, referenceKey } from "#src/reconcile/observe/cached-resource.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { grantOf } from "#src/platform-client/grant.ts";

/** The value under which objects are found that do not match their schema, and those that claim no uid. */
const invalid = "an invalid object";
const unclaimed = "an object without a uid";

/**
 * What the objects of the cluster name, in any state and of any Tenant, as the stores are at the moment of the call: an
 * object may have been created a moment ago.
 *
 * The first call after `release` takes one pass over all objects; from then on, each change of an object costs what the
 * object names, and each call what may name the resource.
 */
export class Names {
  readonly #sources: Pick<Sources, "kinds" | "stores">;
  /** By kind; undefined until somebody asks. */
  #indexes: ReadonlyMap<string, StoreIndex<CachedResource>> | undefined;

  constructor(sources: Pick<Sources, "kinds" | "stores">) {
    this.#sources = sources;
    for (const [kind, store] of sources.stores.entries())
      store.onChange((before, after) => {
        const changed = after ?? before;
        if (changed !== undefined) this.#indexes?.get(kind)?.update(keyOf(changed), before, after);
      });
  }

  /** Frees the memory until the next call. */
  release(): void {
    this.#indexes = undefined;
  }

  /**
   * Whether any object names `external`: by its uid, by its marker, by its name, or as a role binding that may be the
   * object's. Where that is not certain, it does.
   */
  has(session: PlatformSession, kind: Kind, external: ExternalResource): boolean {
    const { kinds, stores } = this.#sources;
    // An object that does not match its schema may name anything.
    if (kinds.some(({ name }) => this.#has(name, external.uid) || this.#has(name, invalid))) return true;
    const marker = carriedMarker(external);
    if (marker !== undefined && stores.get(kind.name).index("object", objectOf(marker)).length > 0) return true;
    const name = kind.collection.nameOf(external);
    if (name !== undefined && this.#has(kind.name, unclaimedName(name))) return true;
    for (const cached of this.#possibleGrants(kind, external))
      if (mayGrant(stores, session, kind, cached, external)) return true;
    return false;
  }

  /** The objects of the kind that may refer to the identity of a role binding. */
  *#possibleGrants(kind: Kind, external: ExternalResource): Iterable<CachedResource> {
    const { kinds, stores } = this.#sources;
    const identity = grantOf(external)?.identity.uid;
    if (identity === undefined) return;
    const store = stores.get(kind.name);
    const lookUp = (key: string) => store.get(key) ?? [];
    for (const key of this.#keys(kind.name, identity)) yield* [lookUp(key)].flat();
    for (const { name } of kinds) {
      const referents = [...stores.get(name).index("claims", identity).map(keyOf), ...this.#keys(name, unclaimed)];
      for (const key of referents) {
        const [namespace = "", object = ""] = key.split("/");
        yield* store.index("refersTo", referenceKey(name, namespace, object));
      }
    }
  }

  #has(kind: string, value: string): boolean {
    this.#indexes ??= this.#build();
    return this.#indexes.get(kind)?.has(value) === true;
  }

  #keys(kind: string, value: string): Iterable<string> {
    this.#indexes ??= this.#build();
    return this.#indexes.get(kind)?.keys(value) ?? [];
  }

  #build(): ReadonlyMap<string, StoreIndex<CachedResource>> {
    const { kinds, stores } = this.#sources;
    return new Map(
      kinds.map((kind) => {
        const index = new StoreIndex((cached: CachedResource) => namesOf(kind, cached));
        for (const cached of stores.get(kind.name).values()) index.update(keyOf(cached), undefined, cached);
        return [kind.name, index];
      }),
    );
  }
}

/** The values under which an object is found. Uids contain no space, so that they differ from the others. */
function namesOf(kind: Kind, cached: CachedResource): readonly string[] {
  if (cached.invalid !== undefined) return [invalid];
  const { resource } = cached;
  const { identityUid, roleUid, parentUid } = resource.status ?? {};
  const claimed = claimedUids(cached);
  const uids = [
    ...claimed,
    ...[identityUid, roleUid, parentUid].filter((uid) => uid !== undefined),
    ...kind.references(resource).flatMap(({ target }) => (target.by === "uid" ? [target.uid] : [])),
  ];
  return [...uids, ...(claimed.length === 0 ? [unclaimed, unclaimedName(nameOf(cached))] : [])];
}

function unclaimedName(name: string): string {
  return `the name ${name}`;
}

function nameOf({ resource: { spec, metadata } }: CachedResource): string {
  return "name" in spec && typeof spec.name === "string" ? spec.name : metadata.name;
}

/** Whether the role binding `external` may be the one that the object declares. */
function mayGrant(
  stores: Sources["stores"],
  session: PlatformSession,
  kind: Kind,
  { resource }: CachedResource,
  external: ExternalResource,
): boolean {
  const grant = grantOf(external);
  if (grant === undefined) return false;
  const { identityUid, roleUid, parentUid } = resource.status ?? {};
  const uids = { parent: parentOf(external.uid), identity: grant.identity.uid, role: grant.role.uid };
  if (parentUid === uids.parent && identityUid === uids.identity && roleUid === uids.role) return true;
  return kind.references(resource).every(({ purpose, target }) => {
    const uid = uids[purpose];
    switch (target.by) {
      case "uid":
        return target.uid === uid;
      case "roleName":
        return session.roles === undefined || session.roles.byName.get(target.name)?.uid === uid;
      case "resource": {
        const namespace = target.reference.namespace ?? resource.metadata.namespace ?? "";
        const referent = stores.get(target.kind).get(`${namespace}/${target.reference.name}`);
        // What an object without a uid will be is not known.
        return (
          referent !== undefined && (claimedUids(referent).length === 0 || claimedUids(referent).includes(uid ?? ""))
        );
      }
    }
  });
}
