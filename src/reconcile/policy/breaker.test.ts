import { describe, expect, it } from "vitest";
import { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/external-resource.ts";
import { Breaker } from "#src/reconcile/observe/breaker.ts";
import { root } from "./observed-fixture.testing.ts";

const limits = { objects: 3, share: 0.1 };
const uids = (count: number) =>
  Array.from({ length: count }, (_, index) => `${root}/${index.toString(16).padStart(16, "0")}`);
const row = (uid: string): ExternalResource => ({ uid, name: "", description: "" });

/** A view in which of `managed` things so many have disappeared with the last list. */
function after(managed: number, missing: number) {
  const view = new CollectionView<ExternalResource>({ naturalKey: () => undefined, name: () => undefined });
  const all = uids(managed);
  view.recordSnapshot({ descendantsOf: root }, all.map(row), 1, true);
  view.recordSnapshot({ descendantsOf: root }, all.slice(missing).map(row), 2, true);
  return { view, all };
}

describe("the breaker", () => {
  it.each([
    ["stays shut while nothing is missing", 10, 0, 0],
    ["stays shut for a few", 10, 2, 0],
    ["opens for as many as its limit", 10, 3, 3],
    ["stays shut for less than its share", 100, 9, 0],
    ["opens at its share", 100, 10, 10],
  ])("%s", (_, managed, missing, held) => {
    const breaker = new Breaker(limits);
    const { view, all } = after(managed, missing);
    breaker.assess(view, all);
    expect(breaker.size).toBe(held);
    expect(all.filter((uid) => breaker.holds(uid))).toEqual(all.slice(0, held));
  });

  it("lets go of what is there again, and of what nobody stands for any more", () => {
    const breaker = new Breaker(limits);
    const { view, all } = after(10, 4);
    breaker.assess(view, all);
    view.recordRow(row(all[0] ?? ""), 3);
    breaker.release(all[1] ?? "");
    breaker.assess(view, all.slice(2).concat(all[0] ?? ""));
    expect(all.filter((uid) => breaker.holds(uid))).toEqual(all.slice(2, 4));
  });

  it("does not count what was never listed", () => {
    const breaker = new Breaker(limits);
    breaker.assess(
      new CollectionView<ExternalResource>({ naturalKey: () => undefined, name: () => undefined }),
      uids(50),
    );
    expect(breaker.size).toBe(0);
  });
});
