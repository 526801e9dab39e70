import { describe, expect, it } from "vitest";
import { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { childUids } from "#src/platform-client/uid.ts";
import { opensBreaker } from "#src/reconcile/policy/breaker.ts";
import { root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { Breaker } from "./breaker.ts";
import { Breakers } from "./breakers.ts";

const opens = (missing: number, managed: number) => opensBreaker(missing, managed, { objects: 3, share: 0.1 });
const uids = (count: number) =>
  Array.from({ length: count }, (_, index) => `${root}/${index.toString(16).padStart(16, "0")}`);
let ids = 0;
const newId = () => `id-${(ids += 1)}`;
const group = (uid: string): ExternalResource => ({ uid, description: "" });
const emptyView = () =>
  new CollectionView<ExternalResource>({
    uids: childUids,
    naturalKeyOf: () => undefined,
    nameOf: () => undefined,
  });

/** A view in which `missing` of `managed` resources disappeared with the last list. */
function viewAfter(managed: number, missing: number) {
  const view = emptyView();
  const all = uids(managed);
  view.recordSnapshot({ descendantsOf: root }, all.map(group), 1, true);
  view.recordSnapshot({ descendantsOf: root }, all.slice(missing).map(group), 2, true);
  return { view, all };
}

describe("the breaker", () => {
  it.each([
    ["holds nothing while nothing is missing", 10, 0, 0],
    ["holds nothing below the number of objects", 10, 2, 0],
    ["holds what is missing at the number of objects", 10, 3, 3],
    ["holds nothing below the share", 100, 9, 0],
    ["holds what is missing at the share", 100, 10, 10],
  ])("%s", (_, managed, missing, held) => {
    const breaker = new Breaker(newId);
    const { view, all } = viewAfter(managed, missing);
    breaker.assess(view, all, opens);
    expect(breaker.open?.missing ?? 0).toBe(held);
    expect(all.filter((uid) => breaker.holds(uid))).toEqual(all.slice(0, held));
  });

  it("releases resources that exist again, and those that no object claims any longer", () => {
    const breaker = new Breaker(newId);
    const { view, all } = viewAfter(10, 4);
    breaker.assess(view, all, opens);
    view.record(group(all[0] ?? ""), 3);
    breaker.release(all[1] ?? "");
    breaker.assess(view, all.slice(2).concat(all[0] ?? ""), opens);
    expect(all.filter((uid) => breaker.holds(uid))).toEqual(all.slice(2, 4));
  });

  it("does not count resources that were never listed", () => {
    const breaker = new Breaker(newId);
    breaker.assess(emptyView(), uids(50), opens);
    expect(breaker.open).toBeUndefined();
  });

  it("is confirmed by its id only, and does not open again for what was confirmed", () => {
    const breaker = new Breaker(newId);
    const { view, all } = viewAfter(10, 4);
    breaker.assess(view, all, opens);
    const id = breaker.open?.id ?? "";
    expect(breaker.confirm("another")).toEqual([]);
    expect(breaker.confirm(id)).toEqual(all.slice(0, 4));
    breaker.assess(view, all, opens);
    expect(breaker.open).toBeUndefined();
    expect(breaker.confirm(id)).toEqual([]);
  });

  it("opens again, with another id, when resources disappear that were confirmed and re-created", () => {
    const breaker = new Breaker(newId);
    const { view, all } = viewAfter(10, 4);
    breaker.assess(view, all, opens);
    const first = breaker.open?.id;
    breaker.confirm(first ?? "");
    for (const uid of all) view.record(group(uid), 3);
    breaker.assess(view, all, opens);
    view.recordSnapshot({ descendantsOf: root }, all.slice(5).map(group), 4, true);
    breaker.assess(view, all, opens);
    expect(breaker.open).toMatchObject({ missing: 5 });
    expect(breaker.open?.id).not.toBe(first);
  });

  it("keeps its id while more resources disappear", () => {
    const breaker = new Breaker(newId);
    const { view, all } = viewAfter(10, 4);
    breaker.assess(view, all, opens);
    const id = breaker.open?.id;
    view.recordSnapshot({ descendantsOf: root }, all.slice(6).map(group), 3, true);
    breaker.assess(view, all, opens);
    expect(breaker.open).toEqual({ id, missing: 6 });
  });
});

it("holds a resource also after its object moved to another Tenant, which then confirms it", () => {
  const breakers = new Breakers(newId);
  const view = emptyView();
  for (const uid of ["x", "y"]) view.recordGone(uid, 1);
  breakers.of("before", "Group").assess(view, ["x", "y"], () => true);
  breakers.move("Group", "x", "after");
  expect([breakers.holds("before", "Group", "x"), breakers.holds("after", "Group", "x")]).toEqual([false, true]);
  expect([breakers.heldIn("before"), breakers.heldIn("after")]).toEqual([1, 1]);
  const { id = "" } = breakers.open("after").get("Group") ?? {};
  expect(breakers.confirm("after", id).get("Group")).toEqual(["x"]);
});

it("still holds what a Tenant that is not served any longer held, until its objects have another one", () => {
  const breakers = new Breakers(newId);
  const view = emptyView();
  view.recordGone("x", 1);
  breakers.of("before", "Group").assess(view, ["x"], () => true);
  breakers.retire("before");
  expect([breakers.holds("before", "Group", "x"), breakers.holdsAny]).toEqual([true, true]);
  breakers.move("Group", "x", "after");
  expect([breakers.heldIn("before"), breakers.heldIn("after")]).toEqual([0, 1]);
  breakers.release("Group", "x");
  expect(breakers.holdsAny).toBe(false);
});

describe("the breakers of a Tenant", () => {
  /** Breakers of which some hold resources: by Tenant and kind. */
  function holding(held: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>) {
    const breakers = new Breakers(newId);
    for (const [tenant, kinds] of Object.entries(held))
      for (const [kind, of] of Object.entries(kinds)) for (const uid of of) breakers.of(tenant, kind).hold(uid);
    return breakers;
  }

  it("hold what one of them holds, and nothing of others", () => {
    const breakers = holding({ team: { Group: ["x"], Role: ["r"] }, others: { Group: ["y"] } });
    const held = (tenant: string, kind: string, of: string) => breakers.holds(tenant, kind, of);
    expect([held("team", "Group", "x"), held("others", "Group", "y")]).toEqual([true, true]);
    expect([held("team", "Group", "y"), held("team", "Role", "x"), held("none", "Group", "x")]).toEqual([
      false,
      false,
      false,
    ]);
    expect([breakers.heldIn("team"), breakers.heldIn("others"), breakers.heldIn("none")]).toEqual([2, 1, 0]);
  });

  it("are open if they hold something, each with an id of its own", () => {
    const breakers = holding({ team: { Group: ["x"], Role: ["r", "s"] } });
    breakers.of("team", "Identity");
    const open = breakers.open("team");
    expect([...open].map(([kind, { missing }]) => [kind, missing])).toEqual([
      ["Group", 1],
      ["Role", 2],
    ]);
    expect(new Set([...open.values()].map(({ id }) => id)).size).toBe(2);
    expect([...breakers.open("none")]).toEqual([]);
  });

  it("are confirmed one at a time: the others stay open, and are not among what was confirmed", () => {
    const breakers = holding({ team: { Group: ["x"], Role: ["r"] } });
    const { id = "" } = breakers.open("team").get("Role") ?? {};
    expect(breakers.confirm("none", id).size).toBe(0);
    expect([...breakers.confirm("team", id)]).toEqual([["Role", ["r"]]]);
    expect(breakers.holds("team", "Group", "x")).toBe(true);
  });

  it("keep what they hold when it moves to where it is, or is of another kind, or is not held", () => {
    const breakers = holding({ team: { Group: ["x"] } });
    const id = breakers.open("team").get("Group")?.id;
    breakers.move("Group", "x", "team");
    breakers.move("Role", "x", "others");
    breakers.move("Group", "y", "others");
    expect(breakers.open("team").get("Group")).toEqual({ id, missing: 1 });
    expect(breakers.heldIn("others")).toBe(0);
  });

  it("release one resource of one kind", () => {
    const breakers = holding({ team: { Group: ["x", "y"], Role: ["x"] } });
    breakers.release("Group", "x");
    expect(["x", "y"].map((of) => breakers.holds("team", "Group", of))).toEqual([false, true]);
    expect([breakers.holds("team", "Role", "x"), breakers.holdsAny]).toEqual([true, true]);
  });

  it("are forgotten as soon as a Tenant that is not served has nothing that is held", () => {
    const breakers = holding({ team: { Group: ["x"] }, others: { Group: ["y"] } });
    const [ofTeam, ofOthers, ofNone] = ["team", "others", "none"].map((tenant) => breakers.of(tenant, "Group"));
    for (const tenant of ["team", "others", "none"]) breakers.retire(tenant);
    expect(breakers.of("none", "Group")).not.toBe(ofNone);
    breakers.release("Group", "x");
    expect(breakers.of("team", "Group")).not.toBe(ofTeam);
    breakers.move("Group", "y", "next");
    expect(breakers.of("others", "Group")).not.toBe(ofOthers);
  });

  it("hold nothing any longer if the Tenant was not served when the last resource went, and it is served again", () => {
    const breakers = holding({ team: { Group: ["x"] }, others: { Group: ["y"] } });
    breakers.retire("team");
    expect(breakers.heldIn("team")).toBe(1);
    breakers.release("Group", "x");
    breakers.of("team", "Group").hold("z");
    breakers.release("Group", "y");
    expect([breakers.holds("team", "Group", "z"), breakers.holdsAny]).toEqual([true, true]);
  });
});
