import { describe, expect, it } from "vitest";
import { parseFaultRule } from "./fault-rule.ts";
import { Faults } from "./faults.ts";

const create = "muster.platform.iam.v2beta1.GroupsService/CreateGroup";

describe("parseFaultRule", () => {
  it("reads every part of a rule", () => {
    expect(parseFaultRule("method=CreateGroup,share=0.25,count=3,latency=2s,code=14,applied")).toMatchObject({
      share: 0.25,
      count: 3,
      latency: 2_000,
      effect: { kind: "error", code: 14, applied: true },
    });
    expect(parseFaultRule("reset").effect).toEqual({ kind: "reset", applied: false });
    expect(parseFaultRule("truncate").effect).toEqual({ kind: "truncate" });
    expect(parseFaultRule("latency=250ms").effect).toEqual({ kind: "none" });
  });

  it.each([
    ["", 'unknown part ""'],
    ["cod=14", 'unknown part "cod"'],
    ["method=*", "has no effect"],
    ["code=2", "unknown gRPC code"],
    ["code=14,reset", "code and reset exclude each other"],
    ["reset,reset", "given twice"],
    ["latency=1s,applied", "requires code=N or reset"],
    ["reset,share=1.5", "not a number from 0 to 1"],
    ["reset,count=0", "not a number from 1"],
    ["latency=soon", "not a duration"],
  ])("rejects %j", (text, message) => expect(() => parseFaultRule(text)).toThrowError(message));

  it.each([
    ["CreateGroup", true],
    ["GroupsService/CreateGroup", true],
    ["GroupsService/*", true],
    ["muster.platform.iam.*", true],
    ["*", true],
    ["Group", false],
    ["ateGroup", false],
    ["RolesService/*", false],
    ["muster?platform*", false],
  ])("method=%s strikes CreateGroup: %s", (method, expected) => {
    expect(new Faults([parseFaultRule(`reset,method=${method}`)]).ruleFor(create) !== undefined).toBe(expected);
  });
});

describe("Faults", () => {
  it("applies a rule up to its count, then the next rule, and counts", () => {
    const faults = new Faults(["count=2,code=14", "code=8,method=ListGroups", "reset"].map(parseFaultRule));
    const struck = Array.from({ length: 4 }, () => faults.ruleFor(create)?.text);
    expect(struck).toEqual(["count=2,code=14", "count=2,code=14", "reset", "reset"]);
    expect(faults.list().map((rule) => rule.struck)).toEqual([2, 0, 2]);
    faults.clear();
    expect(faults.ruleFor(create)).toBeUndefined();
  });

  it("applies a rule to a share of the calls", () => {
    const dice = [0.1, 0.9, 0.49, 0.5];
    const faults = new Faults([parseFaultRule("reset,share=0.5")], () => dice.shift() ?? 1);
    expect(Array.from({ length: 4 }, () => faults.ruleFor(create) !== undefined)).toEqual([true, false, true, false]);
  });
});
