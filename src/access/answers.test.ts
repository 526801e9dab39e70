import { describe, expect, it } from "vitest";
import { accessModel } from "./access-model.ts";
import { accessOf } from "./access-of.ts";
import type { AccessState, KnownBinding } from "./access-state.ts";
import { accessState, custom, now, root, segment, shop, web } from "./access-state.testing.ts";
import { explain } from "./explain.ts";
import { whoCan } from "./who-can.ts";

const ci = { uid: `${shop}/${segment("c")}`, name: "ci" };
const owner = { uid: "b".repeat(40), name: "owner" };
const [create, list] = ["CAP_REPO_CREATE", "CAP_REPO_LIST"];

const binding = (group: string, identity: KnownBinding["identity"], role: KnownBinding["role"], digit = "e") => ({
  uid: `${group}/${segment(digit)}`,
  identity,
  role,
});

const state = (changes: Partial<AccessState>) =>
  accessState({ roles: [{ ...owner, capabilities: new Set([create, list]) }], seesEverything: false, ...changes });
const answer = (changes: Partial<AccessState>, at = web) =>
  explain(accessModel(state(changes)), { identity: ci.uid, capability: create, at }, now);
const other = { uid: `${root}/${segment("f")}`, name: "other" };

describe("the answer", () => {
  it("is unknown if nothing can be read", () => {
    expect(answer({})).toMatchObject({
      decision: "unknown",
      unread: [root, shop, web].map((group) => ({ what: "roleBindings", group })),
    });
  });

  it("is no if the bindings of every group above can be read: one visible binding at the root proves it", () => {
    expect(answer({ bindings: [binding(root, other, owner)] })).toMatchObject({ decision: "no", unread: [] });
    expect(answer({ seesEverything: true })).toMatchObject({ decision: "no", unread: [] });
  });

  it("is unknown if the token is limited to the binding that is visible, or to a group below", () => {
    const only = binding(root, other, owner);
    for (const scope of [only.uid, shop])
      expect(answer({ bindings: [only], scopes: [scope] }, root).decision).toBe("unknown");
    expect(answer({ bindings: [only], scopes: [root] }, root).decision).toBe("no");
  });

  it("is unknown if a binding is visible only in a group below the root", () => {
    expect(answer({ bindings: [binding(shop, other, owner)] })).toMatchObject({
      decision: "unknown",
      unread: [{ what: "roleBindings", group: root }],
    });
  });

  it("is yes as soon as one binding grants it, whatever cannot be read", () => {
    const bindings = [binding(web, ci, owner), binding(web, ci, custom, "0")];
    expect(answer({ bindings })).toMatchObject({ decision: "yes", through: [bindings[0]], undecided: [bindings[1]] });
  });

  it("is unknown if the role of a binding cannot be read, and no if that cannot matter", () => {
    const bindings = [binding(root, other, owner), binding(shop, ci, custom)];
    expect(answer({ bindings })).toMatchObject({
      decision: "unknown",
      unread: [{ what: "role", role: custom.uid, name: "custom", group: root }],
    });
    expect(answer({ bindings }, root)).toMatchObject({ decision: "no", unread: [] });
  });

  it("is no from the moment at which static keys expire", () => {
    const expires = (offset: number) => [
      {
        ...ci,
        assumedBy: {
          method: "staticKeys" as const,
          conditions: [],
          expirationTime: new Date(now + offset).toISOString(),
        },
      },
    ];
    const bindings = [binding(web, ci, owner)];
    expect(answer({ bindings, identities: expires(1) }).decision).toBe("yes");
    expect(answer({ bindings, identities: expires(0) })).toMatchObject({
      decision: "no",
      expired: "2026-01-31T12:00:00.000Z",
    });
  });
});

it("lists an identity once, with each binding that grants the capability", () => {
  const bindings = [binding(root, ci, owner), binding(web, ci, owner), binding(web, other, custom, "0")];
  const { holders, possible, unread } = whoCan(accessModel(state({ bindings })), create, web, now);
  expect(holders).toEqual([{ identity: ci, through: bindings.slice(0, 2) }]);
  expect(possible).toEqual([{ identity: other, through: bindings.slice(2) }]);
  expect(unread).toEqual([{ what: "role", role: custom.uid, name: "custom", group: root }]);
});

it("says below which groups the bindings of an identity were read", () => {
  const bindings = [binding(shop, ci, owner), binding(web, ci, custom)];
  const access = accessOf(accessModel(state({ bindings })), ci.uid, now);
  expect(access.listedBelow).toEqual([shop]);
  expect(access.bindings.map(({ role }) => role?.name)).toEqual(["owner", undefined]);
  expect(accessOf(accessModel(state({ seesEverything: true })), ci.uid, now)).toEqual({ bindings: [], unread: [] });
});
