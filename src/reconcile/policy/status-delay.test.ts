import { describe, expect, it } from "vitest";
import { decide } from "./decide.ts";
import { groupResource, memory, observed, ready } from "./observed-fixture.testing.ts";
import { maxStatusDelayMs, statusDelayAmidDeletions, statusDelayMs } from "./status-delay.ts";

describe("the patience of what waits because another resource is being deleted", () => {
  const waitingSince = 10_000;
  const patience = (lastDeletionAt: number) =>
    statusDelayAmidDeletions(observed({ state: { ...memory, waitingSince }, lastDeletionAt, now: 20_000 }));

  it("is the usual one where no other deletion was seen", () => {
    expect(patience(Number.NEGATIVE_INFINITY)).toBe(statusDelayMs);
    expect(patience(waitingSince)).toBe(statusDelayMs);
  });

  it("ends once no deletion has come in for that long", () => {
    expect(patience(19_000)).toBe(19_000 + statusDelayMs - waitingSince);
  });

  it("has an end, however many come in", () => {
    expect(patience(200_000)).toBe(maxStatusDelayMs);
  });

  it("holds for a child whose parent is being deleted, as the child may be next", () => {
    const given = observed({
      resource: groupResource({ status: ready }),
      references: { are: "waiting", reason: "ReferenceNotReady", message: "It is being deleted.", leaving: true },
      state: { ...memory, waitingSince },
      lastDeletionAt: 19_000,
      now: 20_000,
    });
    expect(decide(given)).toEqual({ do: "wait", until: 19_000 + statusDelayMs });
    expect(decide({ ...given, now: 19_000 + statusDelayMs })).toMatchObject({ do: "writeStatus" });
  });
});
