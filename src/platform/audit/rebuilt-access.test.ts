import { describe, expect, it } from "vitest";
import { type HistoricRecord, rebuildAccess } from "./rebuilt-access.ts";

const at = (seconds: number) => new Date(seconds * 1_000).toISOString();
const recordOf = (seconds: number, record: Partial<HistoricRecord>): HistoricRecord => ({
  form: "full",
  action: "update",
  type: "role",
  uid: "r",
  fields: {},
  details: {},
  time: at(seconds),
  firstTime: at(seconds),
  ...record,
});
const created = recordOf(1, { action: "create", fields: { name: { new: "r" }, capabilities: { new: ["A"] } } });
const stateOf = async (records: readonly HistoricRecord[], seconds?: number) => {
  const state = (await rebuildAccess(records, seconds && seconds * 1_000)).get(records[0]?.type ?? "")?.get("r");
  return state && { ...state, fields: Object.fromEntries(state.fields), unknown: [...state.unknown] };
};

describe("rebuildAccess", () => {
  it("applies changes in their order, up to the moment", async () => {
    const records = [
      created,
      recordOf(2, { fields: { capabilities: { old: ["A"], new: ["A", "B"] }, description: { new: "d" } } }),
      recordOf(3, { fields: { description: { old: "d" } } }),
      recordOf(4, { action: "delete", fields: { capabilities: { old: ["A", "B"] } } }),
    ];
    expect(await stateOf(records, 0)).toBeUndefined();
    expect((await stateOf(records, 1))?.fields).toEqual({ name: "r", capabilities: ["A"] });
    expect((await stateOf(records, 2))?.fields).toEqual({ name: "r", capabilities: ["A", "B"], description: "d" });
    expect((await stateOf(records, 3))?.fields).toEqual({ name: "r", capabilities: ["A", "B"] });
    expect(await stateOf(records)).toBeUndefined();
  });

  it("ignores events and types that do not decide access", async () => {
    const event = recordOf(2, { form: "event", action: "refuse" });
    expect((await stateOf([created, event]))?.fields).toEqual({ name: "r", capabilities: ["A"] });
    expect((await rebuildAccess([recordOf(1, { action: "create", type: "repo" })])).size).toBe(0);
  });

  it("knows what a short record omits by name until a later record has it", async () => {
    const short = recordOf(2, { form: "short", fields: { capabilities: { omitted: true }, description: {} } });
    expect(await stateOf([created, short])).toMatchObject({ fields: { name: "r" }, unknown: ["capabilities"] });
    const full = recordOf(3, { fields: { capabilities: { old: ["B"], new: ["C"] } } });
    expect(await stateOf([created, short, full])).toMatchObject({ fields: { capabilities: ["C"] }, unknown: [] });
  });

  it("does not know the fields of a merged record between its first and its last change", async () => {
    const fields = { capabilities: { new: ["C"] } };
    const records = [created, recordOf(9, { form: "short", changeCount: 7, firstTime: at(4), fields } as never)];
    expect(await stateOf(records, 3)).toMatchObject({ fields: { capabilities: ["A"] }, unknown: [] });
    expect(await stateOf(records, 5)).toMatchObject({ fields: { name: "r" }, unknown: ["capabilities"] });
    expect(await stateOf(records, 9)).toMatchObject({ fields: { name: "r", capabilities: ["C"] }, unknown: [] });
  });

  it("says that a resource may have other fields if it was created before the first record", async () => {
    expect(await stateOf([recordOf(2, { fields: { description: { new: "d" } } })])).toMatchObject({ isWhole: false });
    expect(await stateOf([created])).toMatchObject({ isWhole: true });
  });

  it("begins with states, as retention leaves them", async () => {
    const state = recordOf(2, { form: "state", action: "state", fields: { capabilities: { new: ["A"] } } });
    expect(await stateOf([state])).toMatchObject({ fields: { capabilities: ["A"] }, isWhole: true });
    const partial = { ...state, details: { fields: { isPartial: true, tokensEnded: at(1) } } } as const;
    expect(await stateOf([partial])).toMatchObject({ isWhole: false, tokensEnded: at(1) });
  });

  it("knows when the tokens of an identity were ended", async () => {
    const identity = { ...created, type: "identity", fields: {} };
    const ended = { ...recordOf(5, { action: "revokeTokens" }), type: "identity" };
    expect(await stateOf([identity, ended], 4)).toMatchObject({ tokensEnded: undefined });
    expect(await stateOf([identity, ended])).toMatchObject({ tokensEnded: at(5) });
  });

  it("does not place the end of tokens after the moment if a record stands for several", async () => {
    const identity = { ...created, type: "identity", fields: {} };
    const repeated = recordOf(9, { form: "short", action: "revokeTokens", type: "identity", firstTime: at(4) });
    expect(await stateOf([identity, repeated], 6)).toMatchObject({ tokensEnded: at(4) });
    expect(await stateOf([identity, repeated])).toMatchObject({ tokensEnded: at(9) });
  });
});
