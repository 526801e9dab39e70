import { expect, it } from "vitest";
import {
  bindingResource,
  groupResource,
  identityResource,
  parent,
  ready,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { wakeIdentityUsers } from "./identity-users.ts";
import { markWaiting, wakeWorld } from "./wake-world.testing.ts";

const changed = `${parent}/4444444444444444`;
const other = `${parent}/5555555555555555`;

it("wakes the objects that declare the identities or bind roles to them, and all that wait", () => {
  const world = wakeWorld([
    identityResource({ metadata: { name: "named" }, spec: { uid: changed } }),
    identityResource({ metadata: { name: "recorded" }, status: { ...ready, uid: changed } }),
    identityResource({ metadata: { name: "unrelated" }, status: { ...ready, uid: other } }),
    bindingResource({ metadata: { name: "named" }, spec: { identityUid: changed, roleRef: { name: "viewer" } } }),
    bindingResource({
      metadata: { name: "recorded" },
      spec: { identityRef: { name: "ci" }, roleRef: { name: "viewer" } },
      status: { ...ready, identityUid: changed },
    }),
    bindingResource({
      metadata: { name: "unrelated" },
      spec: { identityUid: other, roleUid: changed },
      status: { ...ready, uid: changed, identityUid: other },
    }),
    groupResource({ metadata: { name: "waits" } }),
    groupResource({ metadata: { name: "rests" } }),
  ]);
  markWaiting(world, "Group", "team/waits");
  wakeIdentityUsers(world.sources, new Set([changed]), world.enqueue);
  expect(world.woken.toSorted()).toEqual([
    "Group team/waits",
    "Identity team/named",
    "Identity team/recorded",
    "RoleBinding team/named",
    "RoleBinding team/recorded",
  ]);
});

it("wakes nobody when no identity changed", () => {
  const world = wakeWorld([groupResource({ metadata: { name: "waits" } })]);
  markWaiting(world, "Group", "team/waits");
  wakeIdentityUsers(world.sources, new Set(), world.enqueue);
  expect(world.woken).toEqual([]);
});
