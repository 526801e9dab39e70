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
