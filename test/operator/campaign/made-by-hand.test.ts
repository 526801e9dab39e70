import { expect, it } from "vitest";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import { type HandMade, Journal } from "./journal.ts";
import { findHandMadeViolations } from "./made-by-hand.ts";
import type { Picture } from "./picture.ts";

const group = "root/group";
const claimMatch = { issuer: "https://issuer.example", subject: "ada" };
const identity = resource("identity", { name: "ada", claimMatch });
const binding = resource("binding", { identity: { uid: identity.uid } });

function resource(id: string, fields: object): PlatformResource {
  const times = { createTime: "2026-11-01T00:00:00Z", updateTime: "2026-11-01T00:00:00Z" };
  return { uid: `${group}/${id}`, name: "", description: "", ...times, ...fields };
}

function journalOf(...made: readonly HandMade[]): Journal {
  const journal = new Journal();
  for (const one of made) journal.noteHandMade(one);
  return journal;
}

function picture(
  identities: readonly PlatformResource[],
  { bindings = [], objects = [] }: { bindings?: readonly PlatformResource[]; objects?: readonly KubeObject[] } = {},
): Picture {
  const resources = { identities, roleBindings: bindings } as unknown as Picture["resources"];
  const others = {
    clientSecrets: new Map(),
    teams: new Map(),
    reportedOrphans: new Set<string>(),
    ownerId: "",
    undeclaredInvites: 0,
  };
  return { objects, secrets: [], resources, ...others };
}

const made = { collection: "identities", resource: identity, mayBeTaken: false } as const;
const declared = musterObject("Identity", "team", "ada", {});

it("finds nothing where what was made by hand is as it was, however often it was read", () => {
  const read = { ...identity, updateTime: "2026-11-02T00:00:00Z" };
  expect(findHandMadeViolations(journalOf(made), picture([read]))).toEqual({
    violations: [],
    reported: [],
    compared: { "made by hand": 1, "held roles": 0 },
  });
});

it("finds what was changed or is gone, unless an object may take it over", () => {
  const changed = { ...identity, description: "ours" };
  expect(findHandMadeViolations(journalOf(made), picture([changed])).violations).toEqual([
    expect.stringMatching(/^O: .*was changed/),
  ]);
  expect(findHandMadeViolations(journalOf(made), picture([])).violations).toEqual([
    expect.stringMatching(/^O: .*is gone$/),
  ]);
  expect(findHandMadeViolations(journalOf({ ...made, mayBeTaken: true }), picture([])).violations).toEqual([]);
});

it("lets go what a Group removes, unless an object names it", () => {
  const journal = journalOf({ ...made, mayBeRemoved: true });
  expect(findHandMadeViolations(journal, picture([])).violations).toEqual([]);
  expect(findHandMadeViolations(journal, picture([], { objects: [declared] })).violations).toHaveLength(1);
});

it("lets a role binding go with its identity", () => {
  const journal = journalOf({ collection: "roleBindings", resource: binding, mayBeTaken: false });
  expect(findHandMadeViolations(journal, picture([])).violations).toEqual([]);
  expect(findHandMadeViolations(journal, picture([identity])).violations).toHaveLength(1);
});

it("finds a second resource of a name, and none that was there before or is elsewhere", () => {
  const later = { ...identity, uid: `${group}/second`, createTime: "2026-11-02T00:00:00Z" };
  const earlier = { ...identity, uid: `${group}/first`, createTime: "2026-10-02T00:00:00Z" };
  const elsewhere = { ...later, uid: "root/other/second" };
  expect(findHandMadeViolations(journalOf(made), picture([identity, later])).violations).toEqual([
    expect.stringMatching(/^D: root\/group\/second/),
  ]);
  expect(findHandMadeViolations(journalOf(made), picture([identity, earlier, elsewhere])).violations).toEqual([]);
});

it("finds other claims of an identity that holds a role", () => {
  const journal = journalOf();
  journal.held.set(identity.uid, claimMatch);
  expect(findHandMadeViolations(journal, picture([identity])).violations).toEqual([]);
  const captured = { ...identity, claimMatch: { ...claimMatch, subject: "eve" } };
  expect(findHandMadeViolations(journal, picture([captured])).violations).toEqual([expect.stringMatching(/^K: /)]);
});
