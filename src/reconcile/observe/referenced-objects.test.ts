import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import type { RoleBindingSpec } from "#src/api/role-binding.ts";
import type { Status } from "#src/api/status.ts";
import {
  groupResource,
  identityResource,
  marker,
  otherRoot,
  parent,
  root,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import {
  binding,
  elsewhere,
  group,
  groupBelow,
  identityUid,
  recorded,
  resolverAmong,
  terminating,
} from "./references-world.testing.ts";

const child = `${parent}/6666666666666666`;
const waits = { are: "waiting", reason: "ReferenceNotReady" };
const resolves = { are: "resolved" };

describe("a reference to an object", () => {
  const resolve = resolverAmong([
    group("shop", { status: recorded(parent) }),
    group("new"),
    group("terminating", { status: recorded(parent), metadata: terminating }),
    group("elsewhere", { spec: { parentUid: otherRoot }, status: recorded(elsewhere) }),
  ]);

  it.each<[string, Resource, object]>([
    ["with a uid resolves to it", groupBelow("shop"), { are: "resolved", uids: { parent }, naturalKey: marker }],
    ["that does not exist waits", groupBelow("none"), { are: "waiting", reason: "ReferenceNotFound" }],
    ["that has no uid yet waits", groupBelow("new"), waits],
    ["that is being deleted waits", groupBelow("terminating"), waits],
    [
      "that is being deleted resolves for an object that is, too",
      isDeleted(groupBelow("terminating")),
      { are: "resolved", uids: { parent } },
    ],
    ["in the same namespace, given explicitly, needs no grant", groupBelow("shop", "team"), resolves],
    ["outside the root groups is denied", groupBelow("elsewhere"), { are: "denied" }],
  ])("%s", (_, resource, references) => {
    expect(resolve(resource)).toMatchObject(references);
  });

  it("has a message that names the field, the object and the fix", () => {
    expect(resolve(groupBelow("none"))).toMatchObject({
      message:
        "spec.parentRef: Group none does not exist in namespace team. Create it, and this object continues. If the name is wrong, delete this object and create it with the right one: the field is immutable.",
    });
  });

  it("of a kind that has not been read is unknown, not absent", () => {
    expect(resolve(groupBelow("none"), { isRead: () => false })).toEqual({
      are: "unreadKind",
      kind: "Group",
      path: "spec.parentRef",
    });
  });
});

describe("the Group that a reference names", () => {
  const below = (name: string) => ({ spec: { parentRef: { name } } });
  const resolve = resolverAmong([
    group("shop", { status: recorded(parent) }),
    group("edited", { status: recorded(parent), metadata: { generation: 2 } }),
    group("conflict", { status: recorded(parent, "Conflict") }),
    group("held", { status: recorded(parent, "HeldByBreaker") }),
    group("paused", { status: recorded(parent, "Paused") }),
    group("interrupted", { status: recorded(parent, "PlatformUnavailable") }),
    group("moved", { spec: { parentUid: `${root}/9999999999999999` }, status: recorded(parent) }),
    group("new"),
    group("below-new", { ...below("new"), status: recorded(child) }),
    group("two-below-new", { ...below("below-new"), status: recorded(`${child}/7777777777777777`) }),
    group("below-shop", { ...below("shop"), status: recorded(child) }),
    group("terminating", { status: recorded(parent), metadata: terminating }),
    group("below-terminating", { ...below("terminating"), status: recorded(child) }),
    observedRoot(),
  ]);

  it.each<[string, string, object]>([
    ["is not used in Conflict", "conflict", waits],
    ["is not used while its breaker is open", "held", waits],
    ["is used if it is paused", "paused", resolves],
    ["is used if the platform is away", "interrupted", resolves],
    ["is used while it is edited", "edited", resolves],
    ["is not used below another group than its parent", "moved", waits],
    ["is not used below a parent that does not exist", "below-new", waits],
    ["is used below its present parent", "below-shop", { are: "resolved", uids: { parent: child } }],
    ["is not used if the group above its parent changed", "two-below-new", waits],
    [
      "is not used for something new while a group above it is being deleted, although its status still says Ready",
      "below-terminating",
      waits,
    ],
    ["is used if it is an observed root group", "observed-root", { are: "resolved", uids: { parent: root } }],
  ])("%s", (_, name, references) => {
    expect(resolve(groupBelow(name))).toMatchObject(references);
  });

  it.each<[string, string, object, string?]>([
    ["while a group above it is being deleted", "below-terminating", resolves, child],
    ["below another group than its parent", "moved", resolves],
    ["while it is not Ready", "held", resolves],
    ["but not in Conflict", "conflict", waits],
  ])("remains in use %s", (_, name, references, parentUid = parent) => {
    const status = { observedGeneration: 1, uid, parentUid };
    expect(resolve({ ...groupBelow(name), status })).toMatchObject(references);
  });

  it("is used by an object that is being deleted, even in Conflict", () => {
    expect(resolve(isDeleted(groupBelow("conflict")))).toMatchObject(resolves);
  });
});

describe("the Identity that a reference names", () => {
  const lostReasons = ["Conflict", "ParentChanged", "ExternalGone"] as const;
  const identity = (name: string, reason?: string, generation = 1) =>
    identityResource({ metadata: { name, generation }, status: recorded(identityUid, reason) });
  const resolve = resolverAmong([
    identity("edited", "Available", 2),
    identity("interrupted", "PlatformUnavailable"),
    ...lostReasons.map((reason) => identity(`lost-${reason}`, reason)),
  ]);
  const inUse = { observedGeneration: 1, identityUid };

  it.each<[string, string, Status | undefined, object]>([
    ["must be Ready", "interrupted", undefined, waits],
    ["must be Ready again after an edit", "edited", undefined, { reason: "ReferenceNotReady" }],
    ["remains in use after an edit", "edited", inUse, resolves],
    ["remains in use while it is not Ready", "interrupted", inUse, resolves],
    ...lostReasons.map((reason): [string, string, Status, object] => [
      `does not remain in use: ${reason}`,
      `lost-${reason}`,
      inUse,
      { are: "waiting" },
    ]),
    ["is not in use with another uid", "interrupted", { ...inUse, identityUid: uid }, { are: "waiting" }],
  ])("%s", (_, name, status, references) => {
    const { identityUid: __, ...spec } = binding().spec;
    const referrer = { ...binding(), spec: { ...spec, identityRef: { name } } as RoleBindingSpec };
    expect(resolve(status === undefined ? referrer : { ...referrer, status })).toMatchObject(references);
  });
});

function isDeleted(resource: Resource): Resource {
  return { ...resource, metadata: { ...groupResource().metadata, ...terminating } };
}

function observedRoot(): Resource {
  const policy = { management: "Observe", adoption: "Never", drift: "Correct" };
  const { parentUid: _, ...status } = recorded(root);
  return group("observed-root", { spec: { parentRef: undefined, uid: root, policy }, status });
}
