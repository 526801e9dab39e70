import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { groupResource, notReady, ready } from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { Governance, GovernedObject } from "#src/reconcile/tenancy/tenancy.ts";
import { world } from "./observed-world.testing.ts";
import { observeReadiness } from "./readiness.ts";

interface Given {
  readonly namespace?: string;
  readonly status?: Resource["status"];
  /** That of its status, if it has any. */
  readonly tenant?: string;
  readonly created?: string;
  readonly isDeleted?: boolean;
}

function object({ namespace = "team", status, tenant, created, isDeleted = false }: Given, index: number): Resource {
  return groupResource({
    metadata: {
      name: `object-${index}`,
      namespace,
      uid: `uid-${index}`,
      ...(created === undefined ? {} : { creationTimestamp: created }),
      ...(isDeleted ? { deletionTimestamp: "2026-01-02T00:00:00Z" } : {}),
    },
    ...(status === undefined ? {} : { status: { ...status, ...(tenant === undefined ? {} : { tenant }) } }),
  });
}

/** What is counted, each as `objects status reason`, sorted, and since when objects are unready, by reason. */
function counted(
  objects: readonly Given[],
  governanceOf?: (object: GovernedObject, ends?: boolean) => Governance["by"],
) {
  const { sources } = world({ objects: objects.map(object) });
  const tenancy =
    governanceOf === undefined
      ? sources.tenancy
      : {
          ...sources.tenancy,
          governanceOf: (...given: [GovernedObject, boolean?]) => ({ by: governanceOf(...given) }),
        };
  const { counts, unreadySince } = observeReadiness({ ...sources, tenancy } as typeof sources, "Group");
  const times = Array.from(unreadySince, ([reason, at]) => [reason, new Date(at).toISOString()]);
  return {
    counts: counts.map((one) => `${one.objects} ${one.status} ${one.reason}`).toSorted(),
    since: Object.fromEntries(times),
  };
}

/** Unready because of `reason` since a second of a minute. */
function since(reason: string, second: number, status = "False"): NonNullable<Resource["status"]> {
  const lastTransitionTime = `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
  return { conditions: [{ type: "Ready", status, reason, message: "", lastTransitionTime }] } as never;
}

describe("the readiness of objects", () => {
  it("is counted over all namespaces by status and reason", () => {
    const { counts } = counted([
      { status: ready },
      { status: ready, namespace: "sibling" },
      { status: ready, namespace: "ungoverned" },
      { status: notReady("Conflict") },
      { status: notReady("Conflict"), namespace: "others" },
      { status: since("Conflict", 1, "Unknown") },
      { status: since("Paused", 1, "Unknown") },
      {},
    ]);
    expect(counts).toEqual([
      "1 Unknown Conflict",
      "1 Unknown NoStatus",
      "1 Unknown Paused",
      "2 False Conflict",
      "3 True Available",
    ]);
  });

  it("is not counted of objects that another operator serves", () => {
    expect(counted([{ status: ready, namespace: "unserved" }, { namespace: "unserved" }])).toEqual({
      counts: [],
      since: {},
    });
  });

  it.each<[string, Given, string[]]>([
    ["the Tenant that its status names", { status: ready, tenant: "ours" }, ["1 True Available"]],
    ["another operator's Tenant that its status names", { status: ready, tenant: "theirs" }, []],
    ["its namespace, without a Tenant in its status", { status: since("Paused", 1) }, ["1 False Paused"]],
  ])("of an object that is being deleted depends on %s", (_, given, expected) => {
    const governanceOf = ({ status }: GovernedObject, ends = false) => {
      if (!ends) return "unserved";
      return status?.tenant === "theirs" ? "unserved" : "tenant";
    };
    expect(counted([{ ...given, isDeleted: true }, { ...given }], governanceOf).counts).toEqual(expected);
  });

  it("says since when the object that has been unready for the longest has been so, by reason", () => {
    const governed = counted([
      { status: since("Conflict", 7) },
      { status: since("Conflict", 4, "Unknown"), namespace: "sibling" },
      { status: since("Conflict", 1), namespace: "unserved" },
      { status: since("Deleting", 9), isDeleted: true },
      { status: since("Deleting", 8), isDeleted: true, namespace: "others" },
      { status: ready },
      { created: "2026-01-01T00:00:30Z" },
      { created: "2026-01-01T00:00:20Z", isDeleted: true },
    ]);
    expect(governed.since).toEqual({
      Conflict: "2026-01-01T00:00:04.000Z",
      Deleting: "2026-01-01T00:00:08.000Z",
      NoStatus: "2026-01-01T00:00:20.000Z",
    });
  });

  it("says nothing of the age of an object without a time", () => {
    const undated = groupResource({ metadata: { name: "undated" } });
    delete undated.metadata.creationTimestamp;
    const { sources } = world({ objects: [undated] });
    expect(observeReadiness(sources, "Group")).toEqual({
      counts: [{ status: "Unknown", reason: "NoStatus", objects: 1 }],
      unreadySince: new Map(),
    });
  });

  it("follows changes of the status and removals", () => {
    const { sources, stores } = world({ objects: [object({}, 0), object({ status: ready }, 1)] });
    const store = stores.get("Group");
    const changed = (one: Resource, resourceVersion: string) =>
      ({ ...one, metadata: { ...one.metadata, resourceVersion } }) as never;
    store.apply({ type: "MODIFIED", object: changed(object({ status: ready }, 0), "1000001") });
    expect(observeReadiness(sources, "Group")).toEqual({
      counts: [{ status: "True", reason: "Available", objects: 2 }],
      unreadySince: new Map(),
    });
    store.apply({ type: "DELETED", object: changed(object({}, 0), "1000002") });
    store.apply({ type: "DELETED", object: changed(object({}, 1), "1000003") });
    expect(observeReadiness(sources, "Group").counts).toEqual([]);
  });
});
