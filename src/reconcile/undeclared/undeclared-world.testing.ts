import { withMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { grant, world, type WorldParts } from "#src/reconcile/observe/observed-world.testing.ts";
import { identityUid, recorded, viewer } from "#src/reconcile/observe/references-world.testing.ts";
import { groupResource, parent, root, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { UndeclaredAccess, type UndeclaredAccessOptions } from "./undeclared-access.ts";

// For tests of what objects do not declare in the group of the Group object `shop`.

export const issuer = "https://issuer.example";

export function shop(
  undeclared: "Report" | "Remove" | "Ignore" = "Report",
  more: { status?: object; metadata?: object } = {},
) {
  return groupResource({
    metadata: { name: "shop", uid: "uid-of-shop", ...more.metadata },
    spec: { parentUid: root, undeclared },
    status: { ...recorded(parent), management: "Created", ...more.status },
  });
}

export const robot = { uid: identityUid, name: "robot", description: "" };
export const marked = (marker: string) => ({ ...robot, description: withMarker("", marker) });
export const binding = grant(uid, identityUid, viewer.uid);
export const bindings = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    grant(`${parent}/${String(index).padStart(16, "2")}`, identityUid, viewer.uid),
  );

/** What a test is about. */
export interface Given extends WorldParts {
  /** What is in the group and in the groups above it. */
  readonly found?: Readonly<Record<string, readonly ExternalResource[]>>;
  readonly options?: Partial<UndeclaredAccessOptions>;
}

export function start({ found = { RoleBinding: [binding] }, options = {}, ...parts }: Given = {}) {
  const permissions = { ownBindings: new Set<string>(), ownRoles: new Set<string>() };
  const { sources, stores, contexts, cached } = world({
    objects: [shop()],
    listed: found,
    ...parts,
    session: { permissions, peek: async () => async () => [], ...parts.session },
  });
  const access = new UndeclaredAccess({
    sources,
    breakerLimits: { objects: 100, share: 0.5 },
    confirmationOf: () => undefined,
    ...options,
  });
  const { session } = contexts.team;
  const clock = sources.clock as unknown as { advance(ms: number): Promise<void> };
  const assess = async (times = 1) => {
    let keys: readonly string[] = [];
    for (let time = 0; time < times; time += 1) {
      await access.prepare(session);
      keys = await access.assess(session);
    }
    return keys;
  };
  const observe = (name = "shop", of: string | undefined = parent) => {
    const one = cached("Group", `team/${name}`);
    return access.observe(one, sources.tenancy.governanceOf(one.resource), of);
  };
  const remove = (of: string, outcome: "removed" | "failed" = "removed") =>
    access.recordRemoval(cached("Group", "team/shop"), of, outcome);
  return { access, assess, observe, remove, session, sources, stores, cached, clock };
}

export async function assessed(given: Given = {}, times = 1) {
  const started = start(given);
  await started.assess(times);
  return started.observe();
}

const time = "1970-01-01T00:00:00Z";
export const foundBinding = { kind: "RoleBinding", uid, identityUid, role: viewer.uid, firstSeenTime: time };
