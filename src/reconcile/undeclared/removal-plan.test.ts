import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { markerOf, objectHash, ownerHash } from "#src/kinds/marker.ts";
import { grant, kindNamed } from "#src/reconcile/observe/observed-world.testing.ts";
import { identityUid, owner, recorded, viewer } from "#src/reconcile/observe/references-world.testing.ts";
import {
  bindingResource,
  externalGroup,
  foreignMarker,
  identityResource,
  parent,
  root,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import {
  issuer,
  shop,
  robot,
  marked,
  binding,
  bindings,
  start,
  assessed,
  type Given,
} from "./undeclared-world.testing.ts";

describe("removal", () => {
  const found = { Identity: [robot], RoleBinding: [binding] };
  const removing = (more: Given = {}): Given => ({ objects: [shop("Remove")], found, ...more });
  const due = (of = uid) => ({ removal: { is: "due", resource: { uid: of }, readAt: 500 } });

  it("begins when a resource was seen in two resyncs", async () => {
    const { assess, observe } = start(removing());
    await assess();
    expect(observe()).toMatchObject({ spared: { seenOnce: 1, bound: 1 }, removal: null });
    expect(await assess()).toEqual(["team/shop"]);
    expect(observe()).toMatchObject({ spared: { bound: 1 }, ...due() });
  });

  it("goes on with the identity once it has no role binding", async () => {
    const { assess, observe } = start(removing({ found: { Identity: [robot] } }));
    await assess(2);
    expect(observe()).toMatchObject({ spared: {}, ...due(identityUid) });
  });

  it("is not repeated, and what was removed is gone until a list shows it again", async () => {
    const { access, assess, observe, remove, clock } = start(removing());
    await assess(2);
    remove(uid, "failed");
    expect(observe()).toMatchObject({ spared: { attempted: 1, bound: 1 }, removal: null });
    await assess();
    expect(observe()).toMatchObject(due());
    await clock.advance(1_000);
    remove(uid);
    expect(observe()).toMatchObject({ counts: { Identity: 1 }, removal: null });
    expect(access.shareOf("team")?.uids).toEqual([identityUid]);
    expect(access.counts().get("RoleBinding")).toBe(0);
  });

  it("stops for what came back three times within an hour", async () => {
    const { assess, observe, remove, session, clock } = start(removing());
    const view = session.viewOf(kindNamed("RoleBinding").collection);
    for (let index = 0; index < 3; index += 1) {
      await assess(2);
      const again = grant(`${parent}/${String(index + 5).repeat(16)}`, identityUid, viewer.uid);
      const current = observe();
      const removal = current?.is === "assessed" && current.removal?.is === "due" ? current.removal.resource.uid : "";
      await clock.advance(1_000);
      remove(removal);
      view.recordGone(removal, 500);
      view.record(again, 500);
    }
    await assess(2);
    expect(observe()).toMatchObject({ spared: { cameBack: 1, bound: 1 }, removal: null });
    await clock.advance(3_600_000);
    await assess();
    expect(observe()).toMatchObject({ spared: { bound: 1 }, removal: { is: "due" } });
  });

  it("lets others go first after ten at once", async () => {
    const { assess, observe, remove, clock } = start(
      removing({ found: { Identity: [robot], RoleBinding: bindings(12) } }),
    );
    await assess(2);
    for (const one of bindings(9)) remove(one.uid, "failed");
    expect(observe()).toMatchObject({ removal: { is: "due" } });
    remove(bindings(10)[9]?.uid ?? "", "failed");
    expect(observe()).toMatchObject({ removal: { is: "later", until: 100 } });
    await clock.advance(100);
    expect(observe()).toMatchObject({ removal: { is: "due" } });
  });

  it("spares what an object names, until the next resync", async () => {
    const naming = bindingResource({
      metadata: { namespace: "ungoverned" },
      spec: { identityUid, roleRef: { name: "viewer" } },
    });
    const { assess, observe } = start(removing({ objects: [shop("Remove"), naming] }));
    await assess(2);
    expect(observe()).toMatchObject({ spared: { named: 1, bound: 1 }, removal: null });
    expect(observe()).toMatchObject({ spared: { named: 1, bound: 1 }, removal: null });
  });

  it("spares what is another resource by now, or gone", async () => {
    const { assess, observe, session } = start(removing());
    await assess(2);
    const view = session.viewOf(kindNamed("RoleBinding").collection);
    view.record(grant(uid, identityUid, owner.uid), 600);
    expect(observe()).toMatchObject({ spared: { bound: 1 }, removal: null });
    view.record(binding, 700);
    expect(observe()).toMatchObject({ removal: { is: "due", readAt: 700 } });
    view.recordStale(uid);
    expect(observe()).toMatchObject({ removal: { is: "due", readAt: null } });
    view.recordGone(uid, 800);
    expect(observe()).toMatchObject({ removal: null });
  });

  it.each<[string, Given]>([
    ["tenantReports", { boundary: { undeclared: "Report" } }],
    ["groupNotManaged", { objects: [shop("Remove", { status: { management: "Observed" } })] }],
    ["groupNotManaged", { session: { roots: [parent] } }],
    ["notSynced", { unread: ["Role"] }],
    ["providersUnknown", { session: { peek: async () => async () => undefined } }],
    ["otherOwnerPresent", { found: { Identity: [marked(foreignMarker)], RoleBinding: [binding] } }],
    ["identityUnknown", { found: { RoleBinding: [binding] } }],
    ["breakGlass", { breakGlass: [identityUid] }],
    [
      "orphan",
      {
        found: {
          Identity: [marked(markerOf(ownerHash("owner"), objectHash("Identity", "team", "gone")))],
          RoleBinding: [binding],
        },
      },
    ],
    ["outOfBounds", { session: { permissions: { ownBindings: new Set([uid]), ownRoles: new Set() } } }],
    ["onlyReported", { found: { Group: [externalGroup({ name: "child", description: "" })] } }],
  ])("spares all for the reason %s", async (reason, given) => {
    const undeclared = await assessed(removing(given), 2);
    expect(undeclared).toMatchObject({ removal: null });
    expect(undeclared?.is === "assessed" ? Object.keys(undeclared.spared ?? {}) : []).toContain(reason);
  });

  it("plans nothing for a Group that is being deleted, or whose Tenant only completes deletions", async () => {
    const metadata = { deletionTimestamp: "2026-01-02T00:00:00Z" };
    expect(await assessed(removing({ objects: [shop("Remove", { metadata })] }), 2)).toMatchObject({ spared: null });
    const { access, assess, cached, sources } = start(removing());
    await assess(2);
    const one = cached("Group", "team/shop");
    const governance = sources.tenancy.governanceOf(one.resource);
    if (governance.by !== "tenant") throw new Error("no Tenant");
    expect(access.observe(one, { ...governance, serves: "deletions" }, parent)).toMatchObject({ spared: null });
  });

  describe("of many at once", () => {
    const many = { found: { Identity: [robot], RoleBinding: bindings(4) } };
    const limits = { objects: 4, share: 0.5 };

    it("waits for a person to confirm it", async () => {
      let confirmation: string | undefined;
      const options = { breakerLimits: limits, confirmationOf: () => confirmation };
      const { access, assess, observe } = start(removing({ ...many, options }));
      await assess();
      expect(access.heldRemovalsIn("team")).toBe(0);
      await assess();
      const id = access.shareOf("team")?.held?.id ?? "";
      expect(access.heldRemovalsIn("team")).toBe(4);
      expect(observe()).toMatchObject({ spared: { held: 4, bound: 1 }, confirmId: id, removal: null });
      expect(access.groupsHeldBy("team", id)).toEqual(["team/shop"]);
      expect(access.groupsHeldBy("team", "other")).toEqual([]);
      expect(access.groupsHeldBy("others", id)).toEqual([]);
      confirmation = id;
      expect(access.heldRemovalsIn("team")).toBe(0);
      expect(observe()).toMatchObject({ spared: { bound: 1 }, confirmId: null, removal: { is: "due" } });
    });

    it("is not held because of the removals of another Tenant with the same credential", async () => {
      const second = `${root}/8888888888888888`;
      const there = bindings(4).map((one) => ({ ...one, uid: one.uid.replace(parent, second) }));
      const shared = { Identity: [robot], RoleBinding: [...bindings(4), ...there] };
      const objects = [shop("Remove"), shop("Remove", { metadata: { namespace: "sibling" }, status: { uid: second } })];
      const options = { breakerLimits: { objects: 5, share: 0 } };
      const { access, assess, sources } = start(removing({ found: shared, objects, options }));
      const [team] = sources.tenancy.contexts;
      if (team === undefined) throw new Error("no Tenant");
      const governance = { by: "tenant", serves: "everything" } as const;
      const contexts = [team, { ...team, name: "second" }] as const;
      Object.assign(sources.tenancy, {
        contexts,
        governanceOf: ({ metadata }: Resource) => ({
          ...governance,
          context: contexts[metadata.namespace === "team" ? 0 : 1],
        }),
      });
      await assess(2);
      expect(access.counts().get("RoleBinding")).toBe(8);
      expect(contexts.map(({ name }) => access.heldRemovalsIn(name))).toEqual([0, 0]);
    });

    it("is not held if as many others are managed or spared", async () => {
      const others = Array.from({ length: 4 }, (_, index) =>
        identityResource({
          metadata: { name: `ci-${index}`, uid: `uid-of-ci-${index}` },
          spec: { claimMatch: { issuer, subject: `ci-${index}` } },
          status: recorded(`${parent}/${String(index).padStart(16, "7")}`),
        }),
      );
      const held = async (objects: readonly Resource[]) => {
        const options = { breakerLimits: limits };
        const { access, assess } = start(removing({ ...many, options, objects: [shop("Remove"), ...objects] }));
        await assess(2);
        return access.heldRemovalsIn("team");
      };
      expect(await held(others.slice(0, 3))).toBe(4);
      expect(await held(others)).toBe(0);
    });
  });
});
