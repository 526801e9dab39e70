import { isInScope, type ListScope } from "#src/platform-client/api.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";

/** The resources of one type in a list, ordered by uid. A part of it is found without a look at the rest. */
export class ListedResources {
  readonly all: readonly ExternalResource[];
  readonly #type: ResourceType;
  /** By the group that contains them, from the first time that the children of a group are wanted. */
  #byParent: ReadonlyMap<string | undefined, readonly ExternalResource[]> | undefined;

  constructor(type: ResourceType, resources: readonly ExternalResource[]) {
    this.#type = type;
    this.all = resources.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  }

  get(uid: string): ExternalResource | undefined {
    const last = this.all[firstAfter(this.all, uid) - 1];
    return last?.uid === uid ? last : undefined;
  }

  /** Those in the scope, ordered by uid. */
  in(scope: ListScope): readonly ExternalResource[] {
    if ("descendantsOf" in scope) return this.#below(scope.descendantsOf);
    this.#byParent ??= Map.groupBy(this.all, ({ uid }) => this.#type.uids.parentOf(uid));
    return this.#byParent.get(scope.childrenOf) ?? [];
  }

  /** The uids of everything below a group begin with that of the group, so they follow each other. */
  #below(group: string): readonly ExternalResource[] {
    const isBelow = (resource: ExternalResource | undefined) =>
      resource !== undefined && isInScope(this.#type, resource.uid, { descendantsOf: group });
    let start = firstAfter(this.all, group);
    // A singleton has the uid of its group.
    if (isBelow(this.all[start - 1])) start -= 1;
    let end = start;
    while (isBelow(this.all[end])) end += 1;
    return this.all.slice(start, end);
  }
}

/** The index of the first resource after `uid`, in a list that is ordered by uid. */
export function firstAfter(all: readonly ExternalResource[], uid: string): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.uid ?? "") <= uid) low = middle + 1;
    else high = middle;
  }
  return low;
}
