import { describe, expect, it } from "vitest";
import { apiVersion, finalizer, type Resource } from "#src/api/custom-resource.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import {
  anotherUid,
  externalGroup,
  groupResource,
  parent,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { grant, kindNamed, world, type WorldParts } from "./observed-world.testing.ts";
import { binding, identityUid, recorded, terminating, viewer } from "./references-world.testing.ts";
import { wantedByOthers } from "./wanted-by-others.ts";

interface Parts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

/** The same object, with other parts. */
function changed(object: Resource, { metadata, spec, status }: Parts): Resource {
  return {
    ...object,
    metadata: { ...object.metadata, ...metadata },
    spec: { ...object.spec, ...spec },
    ...(status === undefined ? {} : { status }),
  } as Resource;
}

/** A RoleBinding that is being deleted. */
const self = (parts: Parts = {}) => changed(binding(), { ...parts, metadata: { ...terminating, ...parts.metadata } });
/** Another one that declares the same. */
const other = (parts: Parts = {}) =>
  changed(binding(), { ...parts, metadata: { name: "other", uid: "uid-of-other", ...parts.metadata } });
const external = grant(uid, identityUid, viewer.uid);

interface Given extends WorldParts {
  readonly self?: Resource;
  readonly found?: readonly ExternalResource[];
  /** The names of objects whose recorded resource is what they want. */
  readonly having?: readonly string[];
}

function wanted(others: readonly Resource[], { self: ending = self(), found, having = [], ...parts }: Given = {}) {
  const { sources, contexts, cached } = world({ objects: [ending, ...others], ...parts });
  const { kind, metadata } = ending;
  return wantedByOthers(
    sources,
    contexts.team,
    kindNamed(kind),
    cached(kind, `${metadata.namespace}/${metadata.name}`),
    found ?? [external],
    (one) => having.includes(one.metadata.name),
  );
}

describe("a grant that an object ends without a record of it", () => {
  const unready = changed(groupResource({ metadata: { name: "ci", namespace: "team" } }), {});
  const identity = {
    ...unready,
    kind: "Identity",
    metadata: { ...unready.metadata, ...terminating },
    spec: {
      groupUid: parent,
      claimMatch: { issuer: "https://issuer.example", subject: "ci" },
      policy: unready.spec.policy,
    },
    status: recorded(identityUid),
  } as unknown as Resource;
  const { identityUid: _, ...withoutIdentity } = binding().spec;
  const byName = { ...other(), spec: { ...withoutIdentity, identityRef: { name: "ci" } } } as Resource;

  it.each<[string, boolean, readonly Resource[], Given?]>([
    ["is wanted by another object that declares it", true, [other()]],
    ["is wanted by an object of another namespace", true, [other({ metadata: { namespace: "sibling" } })]],
    ["is wanted by an object that names it", true, [other({ spec: { uid } })]],
    ["is wanted by an object of which the roles are not read", true, [other()], { session: { roles: undefined } }],
    ["is not wanted if there is no other", false, []],
    ["is not wanted by an object that names another one", false, [other({ spec: { uid: anotherUid } })]],
    ["is not wanted by an object that declares another role", false, [other({ spec: { roleRef: { name: "owner" } } })]],
    ["is not wanted by an object that ends, too", false, [other({ metadata: terminating })]],
    ["is not wanted by an object that has expired", false, [other({ spec: { expiresAt: "2025-01-01T00:00:00Z" } })]],
    ["is not wanted by an object that no Tenant governs", false, [other({ metadata: { namespace: "ungoverned" } })]],
    ["is not wanted by an object that waits for a reference", false, [byName, identity]],
    [
      "is not wanted if an object has another one",
      false,
      [other(), other({ metadata: { name: "third" } })],
      { having: ["third"] },
    ],
    [
      "is wanted if only an object that ends has another one",
      true,
      [other(), other({ metadata: { name: "third", ...terminating } })],
      { having: ["third"] },
    ],
    [
      "is not left to another object that wants it once it is recorded",
      false,
      [other()],
      { self: self({ status: recorded(uid) }) },
    ],
    ["is not left to another object while its own does not end", false, [other()], { self: changed(binding(), {}) }],
  ])("%s", (_name, isWanted, others, given) => {
    expect(wanted(others, given)).toEqual(isWanted ? [uid] : []);
  });

  it("is one of several, each of which another object may want", () => {
    const second = grant(anotherUid, identityUid, viewer.uid);
    const strangers = grant(`${parent}/9999999999999999`, anotherUid, viewer.uid);
    expect(wanted([other()], { found: [external, second, strangers] })).toEqual([uid, anotherUid]);
  });
});

it("does not matter for a resource with a marker, which shows whose it is", () => {
  const group = groupResource({ metadata: terminating });
  const same = groupResource({ metadata: { name: "other", uid: "uid-of-other" }, spec: { name: "payments" } });
  expect(wanted([same], { self: group, found: [externalGroup()] })).toEqual([]);
});

describe("what has a code", () => {
  const invite = (name: string, metadata: object = {}) =>
    ({
      apiVersion,
      kind: "GroupInvite",
      metadata: { name, namespace: "team", uid: `uid-of-${name}`, generation: 1, finalizers: [finalizer], ...metadata },
      spec: {
        groupUid: parent,
        roleUid: viewer.uid,
        singleUse: true,
        expiresAt: "2027-01-01T00:00:00Z",
        secretRef: { name: "code" },
        policy: { management: "Full", deletion: "Delete", drift: "Report" },
      },
    }) as unknown as Resource;
  const found = [{ uid, role: { uid: viewer.uid, name: "viewer" }, email: "else@example.com", singleUse: true }];

  it("is wanted by another object with the same Secret, whatever it grants", () => {
    const ending = invite("ada", terminating);
    expect(wanted([invite("eve")], { self: ending, found })).toEqual([uid]);
    const elsewhere = changed(invite("eve"), { spec: { secretRef: { name: "another" } } });
    expect(wanted([elsewhere], { self: ending, found })).toEqual([]);
  });
});
