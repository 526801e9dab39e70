import { isBelow, isRoot, isWithin, parentOf } from "#src/platform/contract/uid.ts";
import type { Region } from "./region.ts";

/** Whether a region contains a uid, as a naive model with which tests compare queries and intersections. */
export function contains(region: Region, uid: string): boolean {
  switch (region.kind) {
    case "everything":
      return true;
    case "roots":
      return isRoot(uid);
    case "subtree":
      return isWithin(region.uid, uid);
    case "descendants":
      return isBelow(region.uid, uid);
    case "children":
      return parentOf(uid) === region.uid;
    case "resource":
      return uid === region.uid;
  }
}
