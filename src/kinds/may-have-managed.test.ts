import { describe, expect, it } from "vitest";
import { apiVersion, finalizer, type Resource } from "#src/api/custom-resource.ts";
import type { Status } from "#src/api/status.ts";
import { mayHaveManaged } from "./may-have-managed.ts";

interface Parts {
  readonly management: "Full" | "Observe";
  readonly finalizers?: string[];
  readonly generation: number;
  readonly deletionTimestamp?: string;
  readonly status?: Partial<Status>;
}

function object({ management, status = {}, finalizers = [finalizer], ...metadata }: Parts): Resource {
  return {
    apiVersion,
    kind: "RoleBinding",
    metadata: { name: "views", namespace: "team", finalizers, ...metadata },
    spec: { policy: { management, drift: "Correct" } },
    status: { observedGeneration: -1, ...status },
  };
}

const deletionTimestamp = "2026-01-01T00:00:00Z";

describe("an object may have managed something", () => {
  it.each<[string, Parts]>([
    ["that says Full", { management: "Full", generation: 1 }],
    ["that says Full, and was never reported", { management: "Full", generation: 1, deletionTimestamp }],
    ["that may have said Full before", { management: "Observe", generation: 2 }],
    [
      "that may have said Full before, and is being deleted",
      { management: "Observe", generation: 3, deletionTimestamp },
    ],
    ["that was restored with its status", { management: "Observe", generation: 1, status: { management: "Created" } }],
    [
      "that was restored with its status: adopted",
      { management: "Observe", generation: 1, status: { management: "Adopted" } },
    ],
  ])("%s", (_, parts) => {
    expect(mayHaveManaged(object(parts))).toBe(true);
  });
});

describe("an object never managed anything", () => {
  it.each<[string, Parts]>([
    ["without our finalizer", { management: "Full", generation: 7, finalizers: ["another.example/finalizer"] }],
    ["that has said Observe since its creation", { management: "Observe", generation: 1 }],
    [
      "that has said Observe since its creation, and is being deleted",
      { management: "Observe", generation: 2, deletionTimestamp },
    ],
    [
      "that observes",
      { management: "Observe", generation: 1, status: { management: "Observed", uid: "a", observedGeneration: 1 } },
    ],
  ])("%s", (_, parts) => {
    expect(mayHaveManaged(object(parts))).toBe(false);
  });
});
