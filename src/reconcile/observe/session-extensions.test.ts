import { expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { groupResource, ready, root, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { world } from "./observed-world.testing.ts";
import { elsewhere } from "./references-world.testing.ts";
import { retainExtensions } from "./session-extensions.ts";

/** Which of the groups the session keeps; undefined if it is not asked. */
function kept(objects: readonly Resource[], groups = [root, elsewhere]) {
  let answer: readonly string[] | undefined;
  const retain = (isUsed: (group: string) => boolean) => {
    answer = groups.filter(isUsed);
  };
  const { sources, contexts } = world({ objects, session: { groups, retainExtensions: retain } });
  retainExtensions(sources, contexts.team.session);
  return answer;
}

const inGroup = (parentUid: string, namespace = "team"): Resource =>
  groupResource({ metadata: { namespace }, status: { ...ready, uid, parentUid } });

it("a session keeps the groups in which one of its objects has a resource", () => {
  expect(kept([inGroup(elsewhere)])).toEqual([elsewhere]);
  expect(kept([inGroup(elsewhere), inGroup(elsewhere, "sibling")])).toEqual([elsewhere]);
});

it("a session gives up the others", () => {
  expect(kept([])).toEqual([]);
  expect(kept([inGroup(elsewhere, "others")])).toEqual([]);
  expect(kept([inGroup(root)])).toEqual([]);
  expect(kept([groupResource()])).toEqual([]);
});

it("a session without extensions is left alone", () => {
  expect(kept([inGroup(elsewhere)], [root])).toBeUndefined();
});
