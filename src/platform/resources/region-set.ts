import { ancestorsOf, isRoot, parentOf } from "../contract/uid.ts";
import type { Region } from "./region.ts";

/** Disjoint regions that can be asked which of them contains a uid, at a cost that does not depend on their number. */
export class RegionSet {
  readonly #regions: Readonly<Record<Exclude<Region["kind"], "everything" | "roots">, Map<string, number>>> = {
    subtree: new Map(),
    descendants: new Map(),
    children: new Map(),
    resource: new Map(),
  };
  #everything: number | undefined;
  #roots: number | undefined;

  constructor(regions: readonly Region[]) {
    for (const [n, region] of regions.entries()) {
      if (region.kind === "everything") this.#everything = n;
      else if (region.kind === "roots") this.#roots = n;
      else this.#regions[region.kind].set(region.uid, n);
    }
  }

  has(uid: string): boolean {
    return this.indexOf(uid) !== undefined;
  }

  /** The index of the region that contains the uid; undefined if none does. */
  indexOf(uid: string): number | undefined {
    if (this.#everything !== undefined) return this.#everything;
    if (this.#roots !== undefined && isRoot(uid)) return this.#roots;
    const { subtree, descendants, children, resource } = this.#regions;
    const found = subtree.get(uid) ?? resource.get(uid) ?? children.get(parentOf(uid) ?? "");
    if (found !== undefined) return found;
    for (const ancestor of ancestorsOf(uid)) {
      const above = subtree.get(ancestor) ?? descendants.get(ancestor);
      if (above !== undefined) return above;
    }
    return undefined;
  }
}
