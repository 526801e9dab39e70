import { beforeEach, describe, expect, test } from "vitest";
import { hours } from "#src/time/durations.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import type { KubeApi } from "./api.ts";
import { KubeError } from "./errors.ts";
import type { Leadership } from "./leadership.ts";
import { acquireLease, type LeaseOptions } from "./lease.ts";
import type { KubeObject } from "./object.ts";

interface LeaseObject extends KubeObject {
  readonly spec: { readonly holderIdentity?: string; readonly leaseTransitions?: number; readonly renewTime?: string };
}

/** What goes wrong with requests; a response is lost before or after the write has taken effect. */
type Fault = "lost before" | "lost after" | "hangs" | "rejected";

/** The Lease of these tests; writes check resourceVersion as the API server does. */
class LeaseApi {
  stored: LeaseObject | undefined;
  writes = 0;
  fault: Fault | undefined;
  /** How long a write takes. */
  latencyMs = 0;
  #version = 0;

  async get(): Promise<KubeObject> {
    if (this.fault === "hangs") await new Promise(() => undefined);
    if (this.fault !== undefined && this.fault !== "lost after") throw failure(this.fault === "rejected" ? 500 : 0);
    if (this.stored === undefined) throw failure(404);
    return structuredClone(this.stored);
  }

  create(_: unknown, __: unknown, body: LeaseObject): Promise<KubeObject> {
    if (this.stored !== undefined)
      throw new KubeError({ call: "create leases", code: 409, reason: "AlreadyExists" }, "");
    return this.#write(body);
  }

  replace(_: unknown, __: unknown, ___: unknown, body: LeaseObject): Promise<KubeObject> {
    if (this.stored === undefined) throw failure(404);
    if (body.metadata.resourceVersion !== this.stored.metadata.resourceVersion) throw failure(409);
    return this.#write(body);
  }

  async #write(body: LeaseObject): Promise<KubeObject> {
    if (this.fault === "hangs") await new Promise(() => undefined);
    if (this.fault === "rejected" || this.fault === "lost before") throw failure(this.fault === "rejected" ? 500 : 0);
    if (this.latencyMs > 0) await clock.sleep(this.latencyMs, never);
    this.writes++;
    this.stored = { ...body, metadata: { ...body.metadata, resourceVersion: String(++this.#version) } };
    if (this.fault === "lost after") {
      this.fault = undefined;
      throw failure(0);
    }
    return structuredClone(this.stored);
  }
}

function failure(code: number): KubeError {
  return new KubeError({ call: "get leases", code, reason: code === 409 ? "Conflict" : "X" }, String(code));
}

let clock: ManualClock;
let api: LeaseApi;
let errors: unknown[];
let never: AbortSignal;
beforeEach(() => {
  clock = new ManualClock();
  api = new LeaseApi();
  errors = [];
  never = new AbortController().signal;
});

function acquire(identity: string, signal: AbortSignal = never, ownClock = clock): Promise<Leadership> {
  const options: LeaseOptions = {
    api: api as unknown as KubeApi,
    namespace: "ns",
    name: "muster",
    identity,
    clock: ownClock,
    random: () => 0.5,
    onError: (error) => errors.push(error),
  };
  return acquireLease(options, signal);
}

describe("acquiring", () => {
  test("creates a missing Lease with client-go's fields", async () => {
    const leadership = await acquire("a");
    expect(leadership.acquired).toBe("created");
    expect(api.stored).toMatchObject({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "ns", name: "muster" },
      spec: {
        holderIdentity: "a",
        leaseDurationSeconds: 15,
        acquireTime: "2026-01-01T00:00:00.000000Z",
        renewTime: "2026-01-01T00:00:00.000000Z",
        leaseTransitions: 0,
      },
    });
  });

  test("takes a released Lease at once", async () => {
    await (await acquire("a")).stop({ release: true });
    const second = await acquire("b");
    expect(second.acquired).toBe("released");
    expect(api.stored?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  });

  test("takes a held Lease once it has not been renewed for its whole duration, by our own clock", async () => {
    const first = await acquire("a");
    await first.stop({ release: false });
    let second: Leadership | undefined;
    const taking = acquire("b").then((leadership) => {
      second = leadership;
    });
    await clock.advance(14_900);
    expect(second).toBeUndefined();
    await clock.advance(2_500);
    await taking;
    expect(second?.acquired).toBe("expired");
    expect(api.stored?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  });

  test("never takes a Lease that is renewed, whatever the wall clocks say", async () => {
    const first = await acquire("a");
    const otherClock = new ManualClock(clock.now() + hours(1));
    let taken = false;
    const abort = new AbortController();
    const taking = acquire("b", abort.signal, otherClock).then(
      () => (taken = true),
      () => undefined,
    );
    for (let second = 0; second < 120; second++) await Promise.all([clock.advance(1000), otherClock.advance(1000)]);
    expect([taken, first.held()]).toEqual([false, true]);
    abort.abort(new Error("aborted by the test"));
    await taking;
  });

  test("elects one of two candidates that see a missing Lease", async () => {
    const abort = new AbortController();
    const both = [acquire("a", abort.signal), acquire("b", abort.signal)];
    await clock.advance(60_000);
    const leadership = await Promise.race(both);
    expect(leadership.held()).toBe(true);
    abort.abort(new Error("aborted by the test"));
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(errors).toEqual([]);
  });

  test.each(["created", "released"] as const)(
    "reports %s even if the response of that write was lost",
    async (acquired) => {
      if (acquired === "released") await (await acquire("x")).stop({ release: true });
      api.fault = "lost after";
      const taking = acquire("a");
      await clock.advance(5000);
      expect((await taking).acquired).toBe(acquired);
      expect(errors).toHaveLength(1);
    },
  );

  test("reports and retries failures; rejects with the reason of its signal", async () => {
    api.fault = "rejected";
    const abort = new AbortController();
    const taking = acquire("a", abort.signal);
    await clock.advance(6000);
    expect(errors.length).toBeGreaterThanOrEqual(3);
    abort.abort(new Error("aborted by the test"));
    await expect(taking).rejects.toThrow("aborted by the test");
  });
});

describe("leading", () => {
  test("renews about every 2 s, with one write each", async () => {
    await acquire("a");
    const before = api.writes;
    await clock.advance(60_000);
    expect(api.writes - before).toBeGreaterThanOrEqual(27);
    expect(api.writes - before).toBeLessThanOrEqual(30);
  });

  test.each(["rejected", "hangs", "lost before"] as const)(
    "is lost 10 s after the start of the last successful renewal: %s",
    async (fault) => {
      const leadership = await acquire("a");
      await clock.advance(4300);
      const renewedAt = Date.parse(api.stored?.spec.renewTime ?? "");
      api.fault = fault;
      const lost = new Promise((resolve) =>
        leadership.signal.addEventListener("abort", () => resolve(clock.now() - renewedAt)),
      );
      await clock.advance(12_000);
      expect(await lost).toBe(10_000);
      expect(leadership.held()).toBe(false);
      expect(String(leadership.signal.reason)).toContain("LeaseLost: the Lease was not renewed for 10000 ms");
    },
  );

  test("counts the deadline from the start of a renewal, however long its response took", async () => {
    const leadership = await acquire("a");
    api.latencyMs = 3000;
    await clock.advance(5300);
    api.fault = "rejected";
    await clock.advance(6800);
    expect(leadership.held()).toBe(true);
    await clock.advance(200);
    expect(leadership.held()).toBe(false);
  });

  test("is not held after the deadline, even before the timer has fired", async () => {
    let now = 0;
    const lateTimers: ManualClock = Object.assign(new ManualClock(), { monotonic: () => now });
    const leadership = await acquire("a", never, lateTimers);
    expect(leadership.held()).toBe(true);
    now = 10_000;
    expect([leadership.held(), leadership.signal.aborted]).toEqual([false, false]);
  });

  test("is lost at once if another process holds the Lease", async () => {
    const leadership = await acquire("a");
    if (api.stored === undefined) throw new Error("missing Lease");
    api.stored = {
      ...api.stored,
      metadata: { ...api.stored.metadata, resourceVersion: "99" },
      spec: { holderIdentity: "b" },
    };
    await clock.advance(2500);
    expect(leadership.signal.aborted).toBe(true);
    expect(String(leadership.signal.reason)).toContain("held by b");
  });

  test("is lost if the Lease is deleted", async () => {
    const leadership = await acquire("a");
    api.stored = undefined;
    await clock.advance(2500);
    expect(String(leadership.signal.reason)).toContain("deleted");
  });

  test("survives a lost response and a write of somebody else that keeps the holder", async () => {
    const leadership = await acquire("a");
    api.fault = "lost after";
    await clock.advance(5000);
    if (api.stored === undefined) throw new Error("missing Lease");
    api.stored = { ...api.stored, metadata: { ...api.stored.metadata, resourceVersion: "99" } };
    await clock.advance(60_000);
    expect(leadership.held()).toBe(true);
  });
});

describe("stopping", () => {
  test("releases the Lease", async () => {
    const leadership = await acquire("a");
    await leadership.stop({ release: true });
    expect(api.stored?.spec.holderIdentity).toBe("");
    expect([leadership.held(), leadership.signal.aborted, clock.pending]).toEqual([false, false, 0]);
  });

  test("lets the Lease expire without release", async () => {
    const leadership = await acquire("a");
    await leadership.stop({ release: false });
    await clock.advance(60_000);
    expect(api.stored?.spec.holderIdentity).toBe("a");
  });

  test("does not release a Lease that another process holds", async () => {
    const leadership = await acquire("a");
    if (api.stored === undefined) throw new Error("missing Lease");
    api.stored = { ...api.stored, spec: { holderIdentity: "b" } };
    await leadership.stop({ release: true });
    expect(api.stored.spec.holderIdentity).toBe("b");
  });

  test("reports a failed release and resolves", async () => {
    const leadership = await acquire("a");
    api.fault = "rejected";
    await leadership.stop({ release: true });
    await settled();
    expect(errors).toHaveLength(1);
  });
});
