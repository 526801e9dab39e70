import { describe, expect, it } from "vitest";
import { isReportedIfRefused, isWrite, noLaterThan, type PlatformStep, type Step, staysReady } from "./step.ts";

const reads = ["refreshPermissions", "list", "read", "listNamed", "readIdentity", "readRole", "readGrants"] as const;
const writes = ["create", "update", "delete", "removeUndeclared"] as const;

it("a Ready object stays so while a read fails, except for one that a write of the spec needs", () => {
  const ends: readonly PlatformStep["do"][] = ["readGrants", ...writes];
  expect([...reads, ...writes].filter((step) => !staysReady(step))).toEqual(ends);
  expect([...reads, ...writes].filter(isWrite)).toEqual(writes);
});

it("a refusal is reported of what every object needs, and of other steps where they are decided", () => {
  const names = ["addFinalizer", "removeFinalizer", "readCrd", "report", "readSecret", "checkSecret", "writeSecret"];
  const reported = [...names, "writeStatus", "create", "wait", "done"].filter((step) =>
    isReportedIfRefused({ do: step } as Step),
  );
  expect(reported).toEqual(["addFinalizer", "removeFinalizer", "readCrd"]);
});

describe("a step is looked at again no later than at a time", () => {
  it.each<[string, Step, Step]>([
    ["if nothing is left to do", { do: "done" }, { do: "done", recheckAt: 5 }],
    ["if that was to be later", { do: "done", recheckAt: 6 }, { do: "done", recheckAt: 5 }],
    ["if that was to be earlier", { do: "done", recheckAt: 4 }, { do: "done", recheckAt: 4 }],
    ["if it waits for something later", { do: "wait", until: 6 }, { do: "wait", until: 5 }],
    ["if it waits for something earlier", { do: "wait", until: 4 }, { do: "wait", until: 4 }],
    ["unless it does something", { do: "readCrd" }, { do: "readCrd" }],
  ])("%s", (_, step, expected) => {
    expect(noLaterThan(step, 5)).toEqual(expected);
  });
});
