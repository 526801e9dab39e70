import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import type { Call, Fault, FaultProxy } from "#test/support/harness/fault-proxy.ts";
import { isReady, isUnready, kindRef, musterObject } from "#test/support/harness/muster-objects.ts";
import type { Operator } from "#test/support/harness/operator.ts";

const workers = 8;
const objectCount = 200;
const flags = ["--workers", String(workers), "--platform-timeout", "8s", "--settle-time", "1s"];

const unreachable: Fault = { is: "not sent" };
const overloaded: Fault = { is: "response replaced", status: 503, headers: {}, body: "no healthy upstream" };
const loginPage: Fault = {
  is: "response replaced",
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<html><body>Please sign in to the network</body></html>",
};
const unauthenticated: Fault = {
  is: "response replaced",
  status: 401,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ code: 16, message: "the token is not valid", details: [] }),
};

/** The calls that reach a proxy, and how many of them it has not responded to. */
class Calls {
  readonly all: Call[] = [];
  inFlight = 0;
  mostInFlight = 0;

  /**
   * Records the calls from now on, and injects the fault that `faultFor` returns.
   * @param hold what a call without a fault waits for
   */
  constructor(
    proxy: FaultProxy,
    faultFor: (call: Call) => Fault | undefined,
    hold: (call: Call) => Promise<void> | undefined = () => undefined,
  ) {
    proxy.options = {
      faultFor: (call) => {
        this.all.push(call);
        const fault = faultFor(call);
        if (fault === undefined) this.mostInFlight = Math.max(this.mostInFlight, (this.inFlight += 1));
        return fault;
      },
      beforeResponding: async (call) => {
        await hold(call);
        this.inFlight -= 1;
      },
    };
  }

  count(method: string, collection?: string): number {
    return this.all.filter((call) => call.method === method && (collection ?? call.collection) === call.collection)
      .length;
  }
}

describeWithProxiedSystem("an outage of the platform", (system, proxy) => {
  const kube = () => system().controlPlane.admin;
  const groups = () => kube().list(kindRef("Group"), { namespace: "team" });
  const waitForAll = (wanted: (object: KubeObject) => boolean, count: number, timeoutMs: number) =>
    vi.waitFor(async () => expect((await groups()).filter(wanted)).toHaveLength(count), {
      timeout: timeoutMs,
      interval: 200,
    });
  let operator: Operator;

  beforeAll(async () => {
    operator = await system().startOperator(flags, { platformUrl: proxy().url });
    const first = musterObject("Group", "team", "first", { parentUid: system().root });
    await kube().apply(first);
    await system().ready(first);
  });
  afterAll(() => operator?.process.stop());

  it("sends only probes, and all 200 objects continue at its end, at the worker limit", async () => {
    let fault: Fault | undefined = unreachable;
    const held = Promise.withResolvers<void>();
    const calls = new Calls(
      proxy(),
      () => fault,
      ({ method }) => (method === "POST" ? held.promise : undefined),
    );
    for (let index = 0; index < objectCount; index += 1)
      await kube().apply(musterObject("Group", "team", `waiting-${index}`, { parentUid: system().root }));
    await waitForAll(isUnready("PlatformUnavailable"), objectCount, 30_000);
    const beforeTheProbes = calls.all.length;
    for (fault of [unreachable, overloaded, loginPage]) await sleep(5_000);
    // One probe every 1 to 2.5 s.
    const probes = calls.all.slice(beforeTheProbes);
    console.info(`${beforeTheProbes} calls until all objects waited, then ${probes.length} calls in 15 s`);
    expect(probes.length).toBeGreaterThanOrEqual(5);
    expect(probes.length).toBeLessThanOrEqual(16);
    expect(probes.filter(({ method }) => method !== "GET")).toEqual([]);
    // The calls until then: at most one for each worker and object attempted before the operator knew of the outage.
    expect(beforeTheProbes).toBeLessThanOrEqual(60);

    const resumed = operator.process.logged("platform calls resumed", operator.process.log.length);
    fault = undefined;
    await resumed;
    // No object waits for a backoff: all are ready at once. No creation ends before they are counted.
    const ready = Number(/^workqueue_depth\{name="group"\} (\d+)$/m.exec(await operator.metrics())?.[1]);
    await vi.waitFor(() => expect(calls.inFlight).toBe(workers), 30_000);
    held.resolve();
    await waitForAll(isReady, objectCount + 1, 60_000);
    console.info(`${ready} objects were ready at once; at most ${calls.mostInFlight} calls in flight`);
    expect(ready).toBeGreaterThanOrEqual(objectCount - workers);
    expect(calls.mostInFlight).toBe(workers);
  });

  it("of writes only, with 401 for every POST, is met by one trial at a time", async () => {
    const count = 100;
    const isNew = ({ metadata }: KubeObject) => metadata.name.startsWith("unwritten-");
    const calls = new Calls(proxy(), ({ method }) => (method === "POST" ? unauthenticated : undefined));
    for (let index = 0; index < count; index += 1)
      await kube().apply(musterObject("Group", "team", `unwritten-${index}`, { parentUid: system().root }));
    await waitForAll((object) => isNew(object) && isUnready("TokenUnavailable")(object), count, 30_000);
    const beforeTheTrials = calls.count("POST");
    await sleep(5_000);
    const { POST, sts } = { POST: calls.count("POST"), sts: calls.count("GET", "sts") };
    console.info(
      `${beforeTheTrials} POSTs until all ${count} objects waited, ${POST} after 5 s; ${sts} exchanges, ${calls.all.length} calls`,
    );
    // Until the first trial has failed the other workers go on, so that the number depends on how long its response takes: the
    // simulation, where that is constant, asserts it. If calls were not suspended, each object would send several.
    expect(beforeTheTrials).toBeLessThanOrEqual(count);
    expect(POST - beforeTheTrials).toBeLessThanOrEqual(1);
    expect(sts).toBeLessThanOrEqual(3);
    // The simulation goes on until the platform accepts the token again: a trial comes twice a minute.
  });

  it("with 401 for every call is met by a few calls and exchanges, and shows on the waiting object", async () => {
    const waiting = musterObject("Group", "team", "rejected", { parentUid: system().root });
    const calls = new Calls(proxy(), ({ collection }) => (collection === "sts" ? undefined : unauthenticated));
    await kube().apply(waiting);
    await system().waitFor(waiting, isUnready("TokenUnavailable"));
    await sleep(15_000);
    console.info(`${calls.count("POST")} POSTs, ${calls.count("GET")} GETs, ${calls.count("GET", "sts")} exchanges`);
    expect(calls.count("POST")).toBeLessThanOrEqual(10);
    expect(calls.count("GET", "sts")).toBeLessThanOrEqual(3);
    expect(calls.all.length).toBeLessThanOrEqual(30);
    // The simulation goes on until the platform accepts the token again: the operator tries that twice a minute.
  });
});
