import { isInScope, type ListScope } from "#src/platform-client/api.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";

/** The resources of one type that were written, as they are since. A look at what is in one group does not look at the rest. */
export class WrittenResources {
  readonly #type: ResourceType;
  /** Null: it was deleted. */
  readonly #byUid = new Map<string, ExternalResource | null>();
  readonly #byParent = new Map<string | undefined, Set<string>>();

  constructor(type: ResourceType) {
    this.#type = type;
  }

  /** Null if it was deleted, undefined if it was not written. */
  get(uid: string): ExternalResource | null | undefined {
    return this.#byUid.get(uid);
  }

  set(uid: string, after: ExternalResource | undefined): void {
    this.#byUid.set(uid, after ?? null);
    const parent = this.#type.uids.parentOf(uid);
    const inParent = this.#byParent.get(parent) ?? new Set();
    this.#byParent.set(parent, inParent.add(uid));
  }

  /** Those in the scope that were not deleted. */
  *in(scope: ListScope | undefined): Iterable<ExternalResource> {
    const isOfGroup = scope !== undefined && "childrenOf" in scope;
    for (const uid of isOfGroup ? (this.#byParent.get(scope.childrenOf) ?? []) : this.#byUid.keys()) {
      const resource = this.#byUid.get(uid);
      if (resource && isInScope(this.#type, uid, scope)) yield resource;
    }
  }
}
