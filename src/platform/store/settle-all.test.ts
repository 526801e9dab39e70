import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { settleAll } from "./settle-all.ts";

describe("settleAll", () => {
  it("returns the values in order", async () => {
    expect(await settleAll([nextTurn(1), Promise.resolve(2)])).toEqual([1, 2]);
  });

  it("throws the error of the first that failed, once all have ended", async () => {
    const ended: string[] = [];
    const fail = async (name: string, turns: number) => {
      for (let n = 0; n < turns; n++) await nextTurn();
      ended.push(name);
      throw new Error(name);
    };
    await expect(settleAll([fail("slow", 3), fail("fast", 1), nextTurn(3)])).rejects.toThrowError("slow");
    expect(ended).toEqual(["fast", "slow"]);
  });
});
