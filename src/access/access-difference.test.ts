import { describe, expect, it } from "vitest";
import { accessDifference } from "./access-difference.ts";
import { accessModel, changedModel } from "./access-model.ts";
import type { AccessState, Assumption, KnownBinding } from "./access-state.ts";
import { accessState, custom, now, root, segment, shop, web } from "./access-state.testing.ts";

const ci = { uid: `${shop}/${segment("c")}`, name: "ci" };
const [viewer, editor] = [
  { uid: "b".repeat(40), name: "viewer" },
  { uid: "e".repeat(40), name: "editor" },
];
const [list, create] = ["CAP_REPO_LIST", "CAP_REPO_CREATE"];
const roles = [
  { ...viewer, capabilities: new Set([list]) },
  { ...editor, capabilities: new Set([list, create]) },
];
const claims = (subject: string): Assumption => ({
  method: "claimMatch",
  conditions: [
    { name: "issuer", value: "https://ci.example.com" },
    { name: "subject", value: subject },
  ],
});

/** A binding of `ci`, whose uid follows from what it grants. */
const grant = (group: string, role: KnownBinding["role"]): KnownBinding => ({
  uid: `${group}/${role.uid.slice(-16)}`,
  identity: ci,
  role,
});
const state = (changes: Partial<AccessState>) => accessState({ roles, ...changes });
function difference(before: Partial<AccessState>, after: Partial<AccessState>) {
  const model = accessModel(state(before));
  return accessDifference(model, changedModel(model, state({ ...before, ...after })), now);
}
/** What of a change matters here. */
const shown = (before: readonly KnownBinding[], after: readonly KnownBinding[], rest: Partial<AccessState> = {}) =>
  difference({ ...rest, bindings: before }, { bindings: after }).changes.map((change) => ({
    [change.change]: [...(change.capabilities ?? ["?"])],
    in: change.group,
    except: change.except,
    through: change.through.map(({ role }) => role.name),
  }));

describe("what an identity gains and loses", () => {
  it.each<[string, readonly KnownBinding[], readonly KnownBinding[], readonly object[]]>([
    ["nothing, if nothing changes", [grant(shop, viewer)], [grant(shop, viewer)], []],
    [
      "what a new role binding grants, as one change",
      [],
      [grant(shop, editor)],
      [{ gains: [list, create], in: shop, except: [], through: ["editor"] }],
    ],
    ["not what it has from above", [grant(root, editor)], [grant(root, editor), grant(web, editor)], []],
    [
      "only what the role above lacks",
      [grant(root, viewer)],
      [grant(root, viewer), grant(web, editor)],
      [{ gains: [create], in: web, except: [], through: ["editor"] }],
    ],
    [
      "not where it had it below",
      [grant(web, viewer)],
      [grant(shop, viewer)],
      [{ gains: [list], in: shop, except: [web], through: ["viewer"] }],
    ],
    [
      "all but what it keeps below",
      [grant(shop, editor)],
      [grant(web, viewer)],
      [
        { loses: [list], in: shop, except: [web], through: ["editor"] },
        { loses: [create], in: shop, except: [], through: ["editor"] },
      ],
    ],
    ["nothing, if an equal role binding stays", [grant(shop, editor), grant(shop, viewer)], [grant(shop, editor)], []],
  ])("%s", (_, before, after, expected) => {
    expect(shown(before, after)).toEqual(expected);
  });

  it("what a changed role has, wherever it is bound", () => {
    const bindings = [grant(shop, custom), grant(web, viewer)];
    const withRole = (...capabilities: string[]) => ({
      bindings,
      roles: [...roles, { ...custom, capabilities: new Set(capabilities) }],
    });
    const { changes } = difference(withRole(create), withRole(list));
    expect(changes).toMatchObject([
      { change: "gains", group: shop, except: [web], capabilities: new Set([list]), through: [bindings[0]] },
      { change: "loses", group: shop, except: [], capabilities: new Set([create]), through: [bindings[0]] },
    ]);
  });

  it("everything, when static keys that have expired are replaced", () => {
    const identity = (assumedBy: Assumption) => ({ identities: [{ ...ci, assumedBy }] });
    const expired = { method: "staticKeys", conditions: [], expirationTime: "2026-01-01T00:00:00Z" } as const;
    const bindings = [grant(shop, viewer)];
    expect(difference({ ...identity(expired), bindings }, identity(claims("x")))).toMatchObject({
      changes: [{ change: "gains", group: shop, capabilities: new Set([list]) }],
      assumptions: [{ before: expired, after: claims("x") }],
    });
  });
});

describe("other claims", () => {
  const identities = (assumedBy: Assumption) => ({ identities: [{ ...ci, assumedBy }] });
  const bindings = [grant(shop, editor)];

  it("give others what the identity has", () => {
    const { assumptions, changes } = difference({ ...identities(claims("old")), bindings }, identities(claims("new")));
    expect(changes).toEqual([]);
    expect(assumptions).toEqual([
      { identity: ci, before: claims("old"), after: claims("new"), had: bindings, has: bindings },
    ]);
  });

  it("are the same in another order", () => {
    const { conditions, method } = claims("old");
    const reordered = identities({ method, conditions: conditions.toReversed() });
    expect(difference({ ...identities(claims("old")), bindings }, reordered).assumptions).toEqual([]);
  });

  it("leave unknown what the identity has where its role bindings are not listed", () => {
    const read = { ...identities(claims("old")), bindings, seesEverything: false };
    expect(difference(read, identities(claims("new"))).listedBelow).toEqual([shop]);
    expect(difference(read, { identities: [], bindings: [] }).listedBelow).toEqual([shop]);
    expect(difference(read, {}).listedBelow).toBeUndefined();
  });
});

describe("what could not be read", () => {
  const seesEverything = false;
  const other = { ...grant(root, viewer), identity: { uid: `${root}/${segment("9")}`, name: "other" } };
  const unreadOf = (before: readonly KnownBinding[], after: readonly KnownBinding[]) =>
    difference({ seesEverything, bindings: before }, { bindings: after }).changes.map(({ unread }) => unread);

  it("may have granted it before: role bindings of the groups above", () => {
    expect(unreadOf([], [grant(shop, viewer)])).toEqual([
      [root, shop].map((group) => ({ what: "roleBindings", group })),
    ]);
    expect(unreadOf([other], [other, grant(shop, viewer)])).toEqual([[]]);
  });

  it("is nothing of an identity that the change creates or deletes", () => {
    const identities = [{ ...ci, assumedBy: claims("x") }];
    const bindings = [grant(shop, viewer)];
    const none = { seesEverything, identities: [], bindings: [] };
    const [created] = difference(none, { identities, bindings }).changes;
    const [deleted] = difference({ seesEverything, identities, bindings }, none).changes;
    expect([created?.unread, deleted?.unread]).toEqual([[], []]);
  });

  it("may still grant it: what a change leaves is no proof of what is there", () => {
    expect(unreadOf([grant(shop, viewer)], [])).toEqual([[{ what: "roleBindings", group: root }]]);
  });

  it("is nothing in a group that the change creates, but in those above it", () => {
    const groups = [{ uid: web, name: "web" }];
    const { changes } = difference({ seesEverything }, { groups, bindings: [grant(web, viewer)] });
    expect(changes[0]?.unread).toEqual([root, shop].map((group) => ({ what: "roleBindings", group })));
  });

  it("is a role of which nobody can say what the identity gains, or had", () => {
    const role = { what: "role", role: custom.uid, name: "custom", group: root };
    expect(difference({}, { bindings: [grant(shop, custom)] }).changes).toMatchObject([
      { change: "gains", capabilities: undefined, unread: [role] },
    ]);
    const kept = [grant(web, custom)];
    expect(difference({ bindings: kept }, { bindings: [...kept, grant(shop, viewer)] }).changes).toMatchObject([
      { change: "gains", capabilities: new Set([list]), unread: [role] },
    ]);
  });

  it("is who else has a role that changes", () => {
    const withRole = (...capabilities: string[]) => ({
      seesEverything,
      bindings: [grant(shop, viewer)],
      roles: [...roles, { ...custom, capabilities: new Set(capabilities) }],
    });
    expect(difference(withRole(list), withRole(create)).unread).toEqual([
      { what: "roleBindings", group: root },
      { what: "identityProviders", groups: [root], below: true },
      { what: "groupInvites", groups: [root], below: true },
    ]);
    expect(difference(withRole(list), withRole(list)).unread).toEqual([]);
  });
});
