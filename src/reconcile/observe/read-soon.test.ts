import { expect, it } from "vitest";
import { keyOf } from "#src/kube/object.ts";
import {
  anotherUid,
  externalGroup,
  groupResource,
  ready,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { kindNamed, listedAt, world } from "./observed-world.testing.ts";
import { readSoon } from "./read-soon.ts";

const object = (name: string, of: string, namespace = "team") =>
  groupResource({ metadata: { name, namespace, uid: `uid-of-${name}` }, status: { ...ready, uid: of } });
const unlisted = `${uid}/1111111111111111`;

/** The uids that are read soon after the objects were edited at this time. */
function soon(editedAt: number, outdatedBefore = 0) {
  const edited = [object("one", uid), object("unlisted", unlisted), object("elsewhere", uid, "others")];
  const objects = [...edited, object("unchanged", anotherUid)];
  const listed = { Group: [externalGroup(), externalGroup({ uid: anotherUid })] };
  const { sources, contexts } = world({ objects, listed });
  const states = sources.states.get("Group");
  for (const cached of sources.stores.get("Group").values()) {
    const key = keyOf(cached);
    states.get(key, cached, 0);
    const isEdited = edited.some(({ metadata }) => metadata.name === cached.metadata.name);
    if (isEdited) states.get(key, { ...cached, metadata: { ...cached.metadata, generation: 2 } }, editedAt);
  }
  return readSoon(sources, kindNamed("Group"), contexts.team.session, outdatedBefore);
}

it("the resources of edited objects are read soon that the session has seen, and not since", () => {
  expect(soon(listedAt + 1)).toEqual([uid]);
  expect(soon(listedAt)).toEqual([]);
  expect(soon(listedAt, listedAt + 1)).toEqual([uid]);
});
