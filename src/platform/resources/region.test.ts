import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { isBelow, isRoot, isWithin, parentOf } from "#src/platform/contract/uid.ts";
import type { Coverage } from "../authorization/access.ts";
import { outermost } from "../authorization/grant.ts";
import { UIDPFilterSchema } from "../gen/muster/platform/common/uidp_pb.ts";
import { contains } from "./region-model.testing.ts";
import { cutRegions, listedUids, regionsOfGroups, visibleRegions } from "./region.ts";

/** Pseudo-random numbers, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const segment = (n: number, length: number) => n.toString(16).padStart(length, "0");

/** A small forest with two roots and three levels below, so that most filters match something. */
const forest = [0, 1].flatMap((root) => {
  const uids = [segment(root, 40)];
  for (let index = 0; index < uids.length && uids.length < 15; index++)
    for (const child of [1, 2]) uids.push(`${uids[index]}/${segment(child, 16)}`);
  return uids;
});

describe("regions", () => {
  it("select exactly the visible resources that match the filter, without overlap", () => {
    const next = numbers(7);
    const anyUid = () => forest[next(forest.length)] ?? "";
    const wrong: unknown[] = [];
    for (let question = 0; question < 20_000; question++) {
      const coverage: Coverage = next(4) === 0 ? "everywhere" : outermost(Array.from({ length: next(4) }, anyUid));
      const rootsArePublic = next(3) === 0;
      const filter = create(UIDPFilterSchema, {
        descendantsOf: next(2) === 0 ? anyUid() : "",
        childrenOf: next(3) === 0 ? anyUid() : "",
        inRoot: next(5) === 0,
      });
      const regions = cutRegions(visibleRegions(coverage, rootsArePublic), filter);
      for (const uid of forest) {
        const visible =
          coverage === "everywhere" || coverage.some((top) => isWithin(top, uid)) || (rootsArePublic && isRoot(uid));
        const wanted =
          (filter.descendantsOf === "" || isBelow(filter.descendantsOf, uid)) &&
          (filter.childrenOf === "" || parentOf(uid) === filter.childrenOf) &&
          (!filter.inRoot || isRoot(uid));
        const found = regions.filter((region) => contains(region, uid)).length;
        const expected = visible && wanted ? 1 : 0;
        // A root that is both public and covered may be in two regions. Built-in roles are not in a group, so they never are.
        const right = rootsArePublic && isRoot(uid) ? Math.min(found, 1) === expected : found === expected;
        if (!right) wrong.push({ coverage, rootsArePublic, filter, uid, regions });
      }
    }
    expect(wrong).toEqual([]);
  });

  it("select singletons by the regions of their groups", () => {
    const next = numbers(11);
    const anyUid = () => forest[next(forest.length)] ?? "";
    const wrong: unknown[] = [];
    for (let question = 0; question < 5_000; question++) {
      const covered = outermost(Array.from({ length: 1 + next(3) }, anyUid));
      const filter = create(UIDPFilterSchema, {
        descendantsOf: next(2) === 0 ? anyUid() : "",
        childrenOf: next(3) === 0 ? anyUid() : "",
        inRoot: next(5) === 0,
      });
      const coverage: Coverage = next(4) === 0 ? "everywhere" : covered;
      const regions = regionsOfGroups(cutRegions(visibleRegions(coverage, false), filter));
      for (const group of forest) {
        const expected =
          (coverage === "everywhere" || covered.some((top) => isWithin(top, group))) &&
          (filter.descendantsOf === "" || isWithin(filter.descendantsOf, group)) &&
          (filter.childrenOf === "" || group === filter.childrenOf) &&
          !filter.inRoot;
        const found = regions.filter((region) => contains(region, group)).length;
        if (found !== (expected ? 1 : 0)) wrong.push({ coverage, filter, group, regions });
      }
    }
    expect(wrong).toEqual([]);
  });

  it("returns the uids that a filter lists individually", () => {
    const [root, child, , grandchild] = forest;
    const filter = (init: object) => create(UIDPFilterSchema, init);
    expect(listedUids(undefined)).toBeUndefined();
    expect(listedUids(filter({ childrenOf: root }))).toBeUndefined();
    expect(listedUids(filter({ ids: [child] }))).toEqual([child]);
    expect(listedUids(filter({ ancestorsOf: grandchild }))).toEqual([root, child]);
    expect(listedUids(filter({ ancestorsOf: grandchild, ids: [child, grandchild] }))).toEqual([child]);
    expect(listedUids(filter({ ancestorsOf: root }))).toEqual([]);
  });
});
