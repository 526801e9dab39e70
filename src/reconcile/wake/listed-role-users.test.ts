import { expect, it } from "vitest";
import type { ExternalRole } from "#src/platform-client/permission-resources.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { role } from "#src/reconcile/observe/references-world.testing.ts";
import {
  bindingResource,
  groupResource,
  identityResource,
  parent,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { wakeObjectsOfListedRoles, watchListedRoles } from "./listed-role-users.ts";
import { listedRole, markWaiting, wakeWorld } from "./wake-world.testing.ts";

const viewer: ExternalRole = { uid: "c".repeat(40), name: "viewer", capabilities: ["CAP_REPO_LIST"] };
const listed: ExternalRole = { uid: listedRole, name: "custom", capabilities: ["CAP_TAG_LIST"] };
const unlisted: ExternalRole = { uid: "d".repeat(40), name: "editor", capabilities: ["CAP_TAG_LIST"] };

/** A Tenant whose session has read these roles, and how it reads others. */
function start(first: readonly ExternalRole[]) {
  const listeners: (() => void)[] = [];
  let roles = rolesOf(first);
  const session: Partial<PlatformSession> = {
    get roles() {
      return roles;
    },
    onPermissionsRead: (listener) => void listeners.push(listener),
  };
  const world = wakeWorld(
    [
      role("declares"),
      bindingResource({ metadata: { name: "binds" }, spec: { identityUid: parent, roleRef: { name: "viewer" } } }),
      identityResource({ metadata: { name: "unrelated" } }),
      groupResource({ metadata: { name: "waits" } }),
      groupResource({ metadata: { name: "rests" } }),
    ],
    session,
  );
  markWaiting(world, "Group", "team/waits");
  watchListedRoles(world.sources, world.session, () =>
    wakeObjectsOfListedRoles(world.sources, world.session, world.enqueue),
  );
  const read = (found: readonly ExternalRole[]) => {
    roles = rolesOf(found);
    world.woken.length = 0;
    for (const listener of listeners) listener();
    return world.woken.toSorted();
  };
  read(first);
  return { ...world, read };
}

const rolesOf = (all: readonly ExternalRole[]): PlatformSession["roles"] => ({
  byName: new Map(all.filter(({ uid }) => !uid.includes("/")).map((one) => [one.name, one])),
  byUid: new Map(all.map((one) => [one.uid, one])),
});

const users = ["Group team/waits", "Role team/declares", "RoleBinding team/binds"];

it.each<[string, readonly ExternalRole[]]>([
  ["a built-in role allows something else", [{ ...viewer, capabilities: ["CAP_REPO_DELETE"] }, listed]],
  ["a built-in role is gone", [listed]],
  ["a custom role allows something else", [viewer, { ...listed, capabilities: [] }]],
  ["another role has the name", [{ ...viewer, uid: "e".repeat(40) }, listed]],
])("wakes the users of roles, and all that wait, when of the listed ones %s", (_, now) => {
  expect(start([viewer, listed]).read(now)).toEqual(users);
});

it("wakes nobody when the listed roles are as they were, or are read for the first time", () => {
  const world = start([viewer, listed, unlisted]);
  expect(world.woken).toEqual([]);
  expect(world.read([viewer, listed, { ...unlisted, capabilities: [] }])).toEqual([]);
});

it("compares with the read before", () => {
  const world = start([viewer, listed]);
  const changed = [{ ...viewer, capabilities: [] }, listed];
  expect(world.read(changed)).toEqual(users);
  expect(world.read(changed)).toEqual([]);
  expect(world.read([viewer, listed])).toEqual(users);
});
