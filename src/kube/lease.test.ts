import { beforeEach, describe, expect, test } from "vitest";
import type { KubeApi } from "./api.ts";
import { KubeError } from "./errors.ts";
import { acquireLease, type Leadership, type LeaseOptions } from "./lease.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import type { KubeObject } from "./object.ts";

interface LeaseObject extends KubeObject {
  readonly spec: { readonly holderIdentity?: string; readonly leaseTransitions?: number; readonly renewTime?: string };
}

type Fault = "lost before" | "lost after" | "hangs" | "refused";

/** The one Lease of these tests, guarded by resourceVersion as the API server does. */
class LeaseApi {
  stored: LeaseObject | undefined;
  writes = 0;
  fault: Fault | undefined;
  /** Milliseconds that a write takes. */
  latency = 0;
  #version = 0;

  async get(): Promise<KubeObject> {
    if (this.fault === "hangs") await new Promise(() => undefined);
    if (this.fault !== undefined && this.fault !== "lost after") throw answer(this.fault === "refused" ? 500 : 0);
    if (this.stored === undefined) throw answer(404);
    return structuredClone(this.stored);
  }

  create(_: unknown, __: unknown, body: LeaseObject): Promise<KubeObject> {
    if (this.stored !== undefined)
      throw new KubeError({ call: "create leases", code: 409, reason: "AlreadyExists" }, "");
    return this.#write(body);
  }

  replace(_: unknown, __: unknown, ___: unknown, body: LeaseObject): Promise<KubeObject> {
    if (this.stored === undefined) throw answer(404);
    if (body.metadata.resourceVersion !== this.stored.metadata.resourceVersion) throw answer(409);
    return this.#write(body);
  }

  async #write(body: LeaseObject): Promise<KubeObject> {
    if (this.fault === "hangs") await new Promise(() => undefined);
    if (this.fault === "refused" || this.fault === "lost before") throw answer(this.fault === "refused" ? 500 : 0);
    if (this.latency > 0) await clock.sleep(this.latency, never);
    this.writes++;
    this.stored = { ...body, metadata: { ...body.metadata, resourceVersion: String(++this.#version) } };
    if (this.fault === "lost after") {
      this.fault = undefined;
      throw answer(0);
    }
    return structuredClone(this.stored);
  }
}

function answer(code: number): KubeError {
  return new KubeError({ call: "a lease", code, reason: code === 409 ? "Conflict" : "X" }, String(code));
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

function acquire(identity: string, signal: AbortSignal = never, itsClock = clock): Promise<Leadership> {
  const options: LeaseOptions = {
    api: api as unknown as KubeApi,
    namespace: "ns",
    name: "muster",
    identity,
    clock: itsClock,
    random: () => 0.5,
    onError: (error) => errors.push(error),
  };
  return acquireLease(options, signal);
}

describe("acquiring", () => {
  test("a Lease that never existed is created, with client-go's fields", async () => {
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

  test("one that was given back is taken at once", async () => {
    await (await acquire("a")).stop({ release: true });
    const second = await acquire("b");
    expect(second.acquired).toBe("released");
    expect(api.stored?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  });

  test("one that is held is taken when its holder has been silent for its whole duration, as seen by us", async () => {
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

  test("one that is renewed is never taken, whatever the wall clocks say", async () => {
    const first = await acquire("a");
    const theirs = new ManualClock(clock.now() + 3_600_000);
    let taken = false;
    const abort = new AbortController();
    const taking = acquire("b", abort.signal, theirs).then(
      () => (taken = true),
      () => undefined,
    );
    for (let second = 0; second < 120; second++) await Promise.all([clock.advance(1000), theirs.advance(1000)]);
    expect([taken, first.held()]).toEqual([false, true]);
    abort.abort(new Error("enough"));
    await taking;
  });

  test("of two that see it free, one leads", async () => {
    const abort = new AbortController();
    const both = [acquire("a", abort.signal), acquire("b", abort.signal)];
    await clock.advance(60_000);
    const outcomes = await Promise.race(both);
    expect(outcomes.held()).toBe(true);
    abort.abort(new Error("enough"));
    const settledBoth = await Promise.allSettled(both);
    expect(settledBoth.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(errors).toEqual([]);
  });

  test.each(["created", "released"] as const)("a lost answer is found again as %s", async (how) => {
    if (how === "released") await (await acquire("x")).stop({ release: true });
    api.fault = "lost after";
    const taking = acquire("a");
    await clock.advance(5000);
    expect((await taking).acquired).toBe(how);
    expect(errors).toHaveLength(1);
  });

  test("trouble is told and tried again; an abort ends it with its reason", async () => {
    api.fault = "refused";
    const abort = new AbortController();
    const taking = acquire("a", abort.signal);
    await clock.advance(6000);
    expect(errors.length).toBeGreaterThanOrEqual(3);
    abort.abort(new Error("enough"));
    await expect(taking).rejects.toThrow("enough");
  });
});

describe("leading", () => {
  test("renews about every 2 s, one write each", async () => {
    await acquire("a");
    const before = api.writes;
    await clock.advance(60_000);
    expect(api.writes - before).toBeGreaterThanOrEqual(27);
    expect(api.writes - before).toBeLessThanOrEqual(30);
  });

  test.each(["refused", "hangs", "lost before"] as const)(
    "is lost 10 s after the last renewal began: %s",
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

  test("counts from when a renewal began, however long its answer took", async () => {
    const leadership = await acquire("a");
    api.latency = 3000;
    await clock.advance(5300);
    api.fault = "refused";
    await clock.advance(6800);
    expect(leadership.held()).toBe(true);
    await clock.advance(200);
    expect(leadership.held()).toBe(false);
  });

  test("cannot be relied on any more, though the timer has not fired yet", async () => {
    let frozen = 0;
    const stopped: ManualClock = Object.assign(new ManualClock(), { monotonic: () => frozen });
    const leadership = await acquire("a", never, stopped);
    expect(leadership.held()).toBe(true);
    frozen = 10_000;
    expect([leadership.held(), leadership.signal.aborted]).toEqual([false, false]);
  });

  test("is lost at once to another holder", async () => {
    const leadership = await acquire("a");
    if (api.stored === undefined) throw new Error("there is a Lease");
    api.stored = {
      ...api.stored,
      metadata: { ...api.stored.metadata, resourceVersion: "99" },
      spec: { holderIdentity: "b" },
    };
    await clock.advance(2500);
    expect(leadership.signal.aborted).toBe(true);
    expect(String(leadership.signal.reason)).toContain("held by b");
  });

  test("is lost with the Lease itself", async () => {
    const leadership = await acquire("a");
    api.stored = undefined;
    await clock.advance(2500);
    expect(String(leadership.signal.reason)).toContain("deleted");
  });

  test("survives a renewal whose answer was lost, and another's touch", async () => {
    const leadership = await acquire("a");
    api.fault = "lost after";
    await clock.advance(5000);
    if (api.stored === undefined) throw new Error("there is a Lease");
    api.stored = { ...api.stored, metadata: { ...api.stored.metadata, resourceVersion: "99" } };
    await clock.advance(60_000);
    expect(leadership.held()).toBe(true);
  });
});

describe("stopping", () => {
  test("gives the Lease back", async () => {
    const leadership = await acquire("a");
    await leadership.stop({ release: true });
    expect(api.stored?.spec.holderIdentity).toBe("");
    expect([leadership.held(), leadership.signal.aborted, clock.pending]).toEqual([false, false, 0]);
  });

  test("or lets it run out", async () => {
    const leadership = await acquire("a");
    await leadership.stop({ release: false });
    await clock.advance(60_000);
    expect(api.stored?.spec.holderIdentity).toBe("a");
  });

  test("does not give back what another holds", async () => {
    const leadership = await acquire("a");
    if (api.stored === undefined) throw new Error("there is a Lease");
    api.stored = { ...api.stored, spec: { holderIdentity: "b" } };
    await leadership.stop({ release: true });
    expect(api.stored.spec.holderIdentity).toBe("b");
  });

  test("tells of trouble and ends", async () => {
    const leadership = await acquire("a");
    api.fault = "refused";
    await leadership.stop({ release: true });
    await settled();
    expect(errors).toHaveLength(1);
  });
});
