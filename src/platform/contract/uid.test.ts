import { describe, expect, it } from "vitest";
import { ancestorsOf, isBelow, isRoot, isUid, isWithin, newRootUid, newUidIn, parentOf, subtreeOf } from "./uid.ts";

const root = "a".repeat(40);
const child = `${root}/0123456789abcdef`;
const grandchild = `${child}/0000000000000001`;

describe("uid", () => {
  it.each([root, child, grandchild])("accepts %s", (uid) => expect(isUid(uid)).toBe(true));
  it.each(["", "a", root.toUpperCase(), `${root}/`, `${root}/abc`, `/${root}`, `${child} `, `${root}\n`])(
    "rejects %j",
    (uid) => expect(isUid(uid)).toBe(false),
  );
  it("rejects a child below the maximum depth", () => {
    const deepest = root + "/0123456789abcdef".repeat(64);
    expect(isUid(deepest)).toBe(true);
    expect(() => newUidIn(deepest)).toThrow(expect.objectContaining({ code: 9 }));
  });

  it("rejects a path that is deeper than the maximum", () =>
    expect(isUid(root + "/0123456789abcdef".repeat(65))).toBe(false));

  it("creates uids that isUid accepts", () => {
    expect(isUid(newRootUid())).toBe(true);
    expect(parentOf(newUidIn(child))).toBe(child);
  });

  it("returns the parent and all ancestors", () => {
    expect(ancestorsOf(grandchild)).toEqual([root, child]);
    expect(ancestorsOf(root)).toEqual([]);
    expect(parentOf(root)).toBeUndefined();
    expect(isRoot(root)).toBe(true);
    expect(isRoot(child)).toBe(false);
  });

  it("compares by segment, not by string prefix", () => {
    expect(isBelow(root, child)).toBe(true);
    expect(isBelow(root, root)).toBe(false);
    expect(isWithin(root, root)).toBe(true);
    expect(isBelow(child, `${child}0`)).toBe(false);
    expect(isBelow(child.slice(0, -1), child)).toBe(false);
  });

  it("returns the range of a subtree: every descendant and nothing else", () => {
    const { from, to } = subtreeOf(child);
    const inside = (uid: string) => uid >= from && uid < to;
    expect(inside(grandchild)).toBe(true);
    expect(inside(child)).toBe(false);
    expect(inside(`${root}/0123456789abcdf0`)).toBe(false);
  });
});
