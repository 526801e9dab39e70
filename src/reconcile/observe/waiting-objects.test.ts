import { expect, it } from "vitest";
import { keyOf } from "#src/kube/object.ts";
import { groupResource } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { world } from "./observed-world.testing.ts";
import { terminating } from "./references-world.testing.ts";
import { waitingObjects } from "./waiting-objects.ts";

const waits = (namespace: string, metadata: object = {}) =>
  groupResource({ metadata: { namespace, name: "waits", uid: `uid-in-${namespace}`, ...metadata } });

it.each<[string, readonly string[] | undefined, readonly string[]]>([
  ["of all its Tenants, if several share its credential", undefined, ["team/waits", "sibling/waits", "moved/waits"]],
  ["in the namespaces of its Tenant, and those being deleted elsewhere", ["team"], ["team/waits", "moved/waits"]],
])("a session reconciles the waiting objects %s", (_, own, expected) => {
  const objects = [waits("team"), waits("sibling"), waits("moved", terminating), waits("others"), waits("ungoverned")];
  const { sources, contexts } = world({ objects: [...objects, groupResource()] });
  const states = sources.states.get("Group");
  for (const cached of sources.stores.get("Group").values()) {
    const key = keyOf(cached);
    const { resourceUid } = states.get(key, cached, 0);
    if (key.endsWith("/waits")) states.update(key, resourceUid, (state) => ({ ...state, waitingSince: 0 }));
  }
  const tenancy = { ...sources.tenancy, namespacesOf: () => own };
  const found = waitingObjects({ ...sources, tenancy }, contexts.team.session, "Group");
  expect(Array.from(found, ([key]) => key)).toEqual(expected);
});
