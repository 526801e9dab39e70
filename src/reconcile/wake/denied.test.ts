import { expect, it } from "vitest";
import {
  anotherUid,
  bindingResource,
  groupResource,
  identityResource,
  ready,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { DeniedBy } from "#src/reconcile/observe/reconcile-state.ts";
import { kindOf } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { wakeAfterGrant, wakeDeniedBy } from "./denied.ts";
import { markWaiting, wakeWorld } from "./wake-world.testing.ts";

const binding = bindingResource({
  metadata: { name: "grants" },
  spec: { identityRef: { name: "named" }, roleRef: { name: "viewer" } },
});

/** Identities that wait, by the roles and role bindings that they wait for; null: for something else. */
function start(identities: Readonly<Record<string, DeniedBy | null>>) {
  const objects = Object.keys(identities).map((name) => identityResource({ metadata: { name, uid: name } }));
  const world = wakeWorld([...objects, binding, groupResource()]);
  for (const [name, deniedBy] of Object.entries(identities)) {
    markWaiting(world, "Identity", `team/${name}`);
    if (deniedBy === null) continue;
    world.sources.states.get("Identity").update(`team/${name}`, name, (state) => ({ ...state, deniedBy }));
  }
  return world;
}

it("wakes those that wait because of one of the uids, and those that wait because of many", () => {
  const { sources, enqueue, woken } = start({ one: [uid], other: [anotherUid], many: "many", waits: null });
  wakeDeniedBy(sources, [], enqueue, {});
  expect(woken).toEqual([]);
  wakeDeniedBy(sources, [uid, `${uid}/1111111111111111`], enqueue, {});
  expect(woken).toEqual(["Identity team/one", "Identity team/many"]);
});

it.each(["appears", "is Ready", "is gone"])(
  "wakes the identity of a role binding that is declared, when its object %s",
  (how) => {
    const { sources, enqueue, woken } = start({ named: [anotherUid], other: [uid], waits: null });
    const { stores } = sources;
    const cached = stores.get("RoleBinding").get("team/grants");
    const withUid = cached && { ...cached, resource: { ...cached.resource, status: ready } };
    const changes = {
      appears: [undefined, cached],
      "is Ready": [cached, withUid],
      "is gone": [withUid, undefined],
    } as const;
    const [before, after] = changes[how as keyof typeof changes];
    wakeAfterGrant(sources, { kind: kindOf({ resource: binding }), before, after }, enqueue);
    const byUid = how === "appears" ? [] : ["Identity team/other"];
    expect(woken).toEqual([...byUid, "Identity team/named"]);
  },
);

it("wakes nobody after a change of an object that declares the same role binding as before, or none", () => {
  const { sources, enqueue, woken } = start({ named: [uid] });
  const cached = sources.stores.get("RoleBinding").get("team/grants");
  wakeAfterGrant(sources, { kind: kindOf({ resource: binding }), before: cached, after: cached }, enqueue);
  const group = sources.stores.get("Group").get("team/payments");
  wakeAfterGrant(sources, { kind: kindOf({ resource: groupResource() }), before: undefined, after: group }, enqueue);
  expect(woken).toEqual([]);
});
