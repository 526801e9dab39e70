import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { anotherUid, inviteResource, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { type ObservedParts, seenOf } from "./observed-world.testing.ts";
import { recorded, viewer } from "./references-world.testing.ts";

// How what has a code is found. What carries a marker, or is what it grants: `observe.test.ts`.

describe("an invite", () => {
  const invite = (parts: Parameters<typeof inviteResource>[0] = {}) =>
    inviteResource({ ...parts, spec: { roleRef: { name: "viewer" }, ...parts.spec } });
  const { expiresAt } = invite().spec;
  const external = (of: string, fields: object = {}) => ({
    uid: of,
    role: { uid: viewer.uid, name: "viewer" },
    email: "",
    singleUse: true,
    expirationTime: expiresAt,
    ...fields,
  });
  const secret = (issuedUid: string | null): ObservedParts => ({
    sources: {
      secrets: {
        lastRead: ({ namespace, name }: { namespace: string; name: string }) =>
          namespace === "team" && name === "ada" ? { is: "found", issuedUid } : undefined,
      },
    },
  });

  it.each<[string, Resource, ObservedParts, string | undefined]>([
    ["what its Secret names", invite(), secret(uid), uid],
    ["nothing if its Secret names nothing", invite(), secret(null), undefined],
    ["nothing if its Secret was not read", invite(), {}, undefined],
    [
      "what this process created, whatever the Secret names",
      invite(),
      { ...secret(uid), states: { "team/ada": { issued: { uid: anotherUid } } } },
      anotherUid,
    ],
    [
      "what its status records, whatever the Secret names",
      invite({ status: recorded(anotherUid) }),
      secret(uid),
      anotherUid,
    ],
    [
      "nothing once its status says that it is gone",
      invite({ status: { observedGeneration: 1, management: "Created" } }),
      secret(uid),
      undefined,
    ],
  ])("claims %s", (_, object, parts, claimed) => {
    expect(seenOf(object, parts).claim?.uid).toBe(claimed);
  });

  const equal = { listed: { GroupInvite: [external(uid), external(anotherUid, { email: "ada@example.com" })] } };
  const bornHere = { "team/ada": { bornHere: true } };
  it.each<[string, Resource, ObservedParts, readonly string[]]>([
    ["equal ones, which an earlier process may have created", invite(), equal, [uid]],
    ["none if it was created here without a POST", invite(), { ...equal, states: bornHere }, []],
    [
      "equal ones if this process sent a POST",
      invite(),
      { ...equal, states: { "team/ada": { bornHere: true, posted: { naturalKey: "" } } } },
      [uid],
    ],
    ["none once this process knows its own", invite(), { ...equal, states: { "team/ada": { issued: { uid } } } }, []],
    [
      "none once its status says what it had",
      invite({ status: { observedGeneration: 1, management: "Created" } }),
      equal,
      [],
    ],
    ["none without a finalizer", invite({ metadata: { finalizers: [] } }), equal, []],
    ["none while its references mean nothing", invite({ spec: { roleRef: { name: "none" } } }), equal, []],
  ])("may have lost %s", (_, object, parts, uids) => {
    expect(seenOf(object, parts).matches.map((match) => match.uid)).toEqual(uids);
  });
});
