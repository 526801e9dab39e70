import type { Coverage } from "../authorization/access.ts";
import { ancestorsOf, isBelow, isRoot, isUid, isWithin, parentOf } from "../contract/uid.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { UIDPFilter } from "../gen/muster/platform/common/uidp_pb.ts";

/**
 * A part of the tree. A List selects a few disjoint regions: what the caller can see, intersected with the filter. Each is a
 * range of an index, and its size is maintained, so that neither a page nor its total count becomes slower in a larger tree.
 */
export type Region =
  | { readonly kind: "everything" }
  | { readonly kind: "roots" }
  /** The resource and its descendants. */
  | { readonly kind: "subtree"; readonly uid: string }
  /** The descendants without the resource. */
  | { readonly kind: "descendants"; readonly uid: string }
  | { readonly kind: "children"; readonly uid: string }
  /** The resource alone. */
  | { readonly kind: "resource"; readonly uid: string };

/** The regions that a caller can see. @param rootsArePublic whether every caller can see the roots (built-in roles) */
export function visibleRegions(coverage: Coverage, rootsArePublic: boolean): Region[] {
  if (coverage === "everywhere") return [{ kind: "everything" }];
  const regions = coverage.map((uid): Region => ({ kind: "subtree", uid }));
  return rootsArePublic ? [{ kind: "roots" }, ...regions] : regions;
}

/** The intersection of the regions with the filter. @throws ApiError (3) on a malformed uid */
export function cutRegions(regions: readonly Region[], filter: UIDPFilter | undefined): Region[] {
  if (filter === undefined) return [...regions];
  const { descendantsOf, childrenOf, inRoot } = filter;
  let cut: Region[] = [...regions];
  if (descendantsOf !== "") {
    checkUid("uidp.descendants_of", descendantsOf);
    cut = cut.flatMap((region) => descendantsOnly(region, descendantsOf));
  }
  if (childrenOf !== "") {
    checkUid("uidp.children_of", childrenOf);
    cut = cut.flatMap((region) => childrenOnly(region, childrenOf));
  }
  if (inRoot) cut = cut.flatMap(rootsOnly);
  return cut;
}

/** The same regions for a collection of singletons, whose resources have the uids of their groups. */
export function regionsOfGroups(regions: readonly Region[]): Region[] {
  return regions.flatMap((region): Region[] => {
    switch (region.kind) {
      case "everything":
        return [region];
      case "subtree":
      case "descendants":
        return [{ kind: "subtree", uid: region.uid }];
      case "children":
        return [{ kind: "resource", uid: region.uid }];
      // These regions select groups themselves, and a singleton is a child of its group.
      case "roots":
      case "resource":
        return [];
    }
  });
}

/** The uids that a filter lists individually; `undefined` if it lists none. @throws ApiError (3) */
export function listedUids(filter: UIDPFilter | undefined): readonly string[] | undefined {
  if (filter === undefined) return undefined;
  const { ids, ancestorsOf: below } = filter;
  for (const uid of ids) checkUid("uidp.ids", uid);
  if (below === "") return ids.length === 0 ? undefined : ids;
  checkUid("uidp.ancestors_of", below);
  const ancestors = ancestorsOf(below);
  return ids.length === 0 ? ancestors : ancestors.filter((uid) => ids.includes(uid));
}

function checkUid(field: string, uid: string): void {
  if (!isUid(uid)) throw invalidArgument(field, "must be a uid");
}

function descendantsOnly(region: Region, top: string): Region[] {
  switch (region.kind) {
    case "everything":
      return [{ kind: "descendants", uid: top }];
    case "roots":
      return [];
    case "subtree":
      if (isBelow(top, region.uid)) return [region];
      return isWithin(region.uid, top) ? [{ kind: "descendants", uid: top }] : [];
    case "descendants":
      if (isWithin(top, region.uid)) return [region];
      return isBelow(region.uid, top) ? [{ kind: "descendants", uid: top }] : [];
    case "children":
      return isWithin(top, region.uid) ? [region] : [];
    case "resource":
      return isBelow(top, region.uid) ? [region] : [];
  }
}

function childrenOnly(region: Region, parent: string): Region[] {
  switch (region.kind) {
    case "everything":
      return [{ kind: "children", uid: parent }];
    case "roots":
      return [];
    case "subtree":
      if (isWithin(region.uid, parent)) return [{ kind: "children", uid: parent }];
      return parentOf(region.uid) === parent ? [{ kind: "resource", uid: region.uid }] : [];
    case "descendants":
      return isWithin(region.uid, parent) ? [{ kind: "children", uid: parent }] : [];
    case "children":
      return region.uid === parent ? [region] : [];
    case "resource":
      return parentOf(region.uid) === parent ? [region] : [];
  }
}

function rootsOnly(region: Region): Region[] {
  switch (region.kind) {
    case "everything":
    case "roots":
      return [{ kind: "roots" }];
    case "subtree":
    case "resource":
      return isRoot(region.uid) ? [{ kind: "resource", uid: region.uid }] : [];
    case "descendants":
    case "children":
      return [];
  }
}
