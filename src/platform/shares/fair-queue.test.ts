import { describe, expect, it } from "vitest";
import { FairQueue } from "./fair-queue.ts";
import { identityShares, type Share } from "./share.ts";

const tenant = (digit: string, number = 0): readonly Share[] =>
  identityShares(`${digit.repeat(40)}/${number.toString(16).padStart(16, "0")}`);

/** Takes items and charges their owner one unit for each. @returns the items, which begin with the digit of the owner */
function serve(queue: FairQueue<string>, count: number): string {
  let served = "";
  for (let n = 0; n < count; n++) {
    const item = queue.take();
    if (item === undefined) break;
    queue.charge(tenant(item[0] ?? "", Number(item[1] ?? 0)), 1);
    served += item;
  }
  return served;
}

describe("FairQueue", () => {
  it("serves a newcomer before the many items that wait already", () => {
    const queue = new FairQueue<string>();
    for (let n = 0; n < 100; n++) queue.add(tenant("a"), "a");
    expect(serve(queue, 10)).toBe("aaaaaaaaaa");
    queue.add(tenant("b"), "b");
    expect(serve(queue, 2)).toContain("b");
    expect(queue.size).toBe(89);
  });

  it("serves owners alternately, however many items each has", () => {
    const queue = new FairQueue<string>();
    for (let n = 0; n < 50; n++) queue.add(tenant("a"), "a");
    for (let n = 0; n < 5; n++) queue.add(tenant("b"), "b");
    expect(serve(queue, 10).replaceAll("a", "")).toBe("bbbbb");
  });

  it("serves an owner of expensive items less often", () => {
    const queue = new FairQueue<string>();
    for (let n = 0; n < 100; n++) {
      queue.add(tenant("a"), "a");
      queue.add(tenant("b"), "b");
    }
    let expensive = 0;
    for (let n = 0; n < 44; n++) {
      const item = queue.take() ?? "";
      queue.charge(tenant(item), item === "a" ? 10 : 1);
      if (item === "a") expensive++;
    }
    expect(expensive).toBe(4);
  });

  it("is fair to the identities of a root group, too", () => {
    const queue = new FairQueue<string>();
    for (let n = 0; n < 50; n++) queue.add(tenant("a", 0), "a0");
    queue.add(tenant("a", 1), "a1");
    expect(serve(queue, 2)).toContain("a1");
  });

  it("gives an owner that waited for nothing no claim to what it did not use", () => {
    const queue = new FairQueue<string>();
    for (let n = 0; n < 100; n++) queue.add(tenant("a"), "a");
    serve(queue, 50);
    for (let n = 0; n < 50; n++) queue.add(tenant("b"), "b");
    expect(serve(queue, 20).replaceAll("b", "").length).toBeGreaterThan(8);
  });

  it("takes items only of owners that may be served", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "b1", "a2"]) queue.add(tenant(item[0] ?? ""), item);
    const isB = (share: string) => share.startsWith("b");
    expect([queue.take(isB), queue.take(isB), queue.size]).toEqual(["b1", undefined, 2]);
    expect([queue.take(), queue.take(), queue.take()]).toEqual(["a1", "a2", undefined]);
  });

  it("keeps the order of one owner's items, and is empty at the end", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2", "a3"]) queue.add(tenant("a"), item);
    expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual(["a1", "a2", "a3", undefined]);
    expect(queue.size).toBe(0);
  });
});
