import { ancestorsOf, isRoot, parentOf } from "../contract/uid.ts";
import type { Region } from "./region.ts";

/** Regions that can be asked whether they contain a uid, at a cost that does not depend on their number. */
export class RegionSet {
  readonly #uids: Readonly<Record<Exclude<Region["kind"], "everything" | "roots">, Set<string>>> = {
    subtree: new Set(),
    descendants: new Set(),
    children: new Set(),
    resource: new Set(),
  };
  #everything = false;
  #roots = false;

  constructor(regions: readonly Region[]) {
    for (const region of regions) {
      if (region.kind === "everything") this.#everything = true;
      else if (region.kind === "roots") this.#roots = true;
      else this.#uids[region.kind].add(region.uid);
    }
  }

  has(uid: string): boolean {
    if (this.#everything || (this.#roots && isRoot(uid))) return true;
    const { subtree, descendants, children, resource } = this.#uids;
    if (subtree.has(uid) || resource.has(uid) || children.has(parentOf(uid) ?? "")) return true;
    return ancestorsOf(uid).some((ancestor) => subtree.has(ancestor) || descendants.has(ancestor));
  }
}
