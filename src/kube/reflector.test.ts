import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#src/time/clock.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import { KubeClient } from "./client.ts";
import type { KubeObject } from "./object.ts";
import { Reflector, type ReflectorOptions, type ReflectorReport } from "./reflector.ts";
import { end, json, errorStatus, reset, ScriptedServer, stream } from "./scripted-server.testing.ts";
import { Store } from "./store.ts";

const resource = { group: "iam.muster.dev", version: "v1beta1", plural: "widgets", kind: "Widget", namespaced: true };

function widget(name: string, version: number): KubeObject {
  const metadata = { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: String(version) };
  return { apiVersion: "iam.muster.dev/v1beta1", kind: "Widget", metadata };
}

const list = (version: number, items: readonly KubeObject[], more = "") =>
  json({ apiVersion: "v1", kind: "WidgetList", metadata: { resourceVersion: String(version), continue: more }, items });
const added = (name: string, version: number) => ({ type: "ADDED", object: widget(name, version) });
const bookmark = (version: number) => ({
  type: "BOOKMARK",
  object: { apiVersion: "v1", kind: "Widget", metadata: { resourceVersion: String(version), creationTimestamp: null } },
});
const expired = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "too old" } };

let server: ScriptedServer;
let client: KubeClient;
let clock: ManualClock;
let store: Store<KubeObject>;
let abort: AbortController;
let running: Promise<void>;
let reports: ReflectorReport[];
let onReport: () => void;

beforeEach(async () => {
  server = new ScriptedServer();
  clock = new ManualClock();
  store = new Store({ indexes: {} });
  abort = new AbortController();
  reports = [];
  onReport = () => undefined;
  const connection = { server: await server.listen(), token: () => Promise.resolve(undefined) };
  client = new KubeClient({ connection, clock: systemClock });
});

afterEach(async () => {
  abort.abort(new Error("the test is over"));
  await running;
  await client.close();
  await server.close();
});

function start(more: Partial<ReflectorOptions> = {}): void {
  const reflector = new Reflector({
    api: client,
    resource,
    namespace: "ns",
    store,
    clock,
    random: () => 0.5,
    ...more,
    report: (report) => {
      reports.push(report);
      onReport();
    },
  });
  running = reflector.run(abort.signal);
}

/** The next report of this type; reports before it are dropped. */
async function nextReport<Type extends ReflectorReport["type"]>(type: Type) {
  for (;;) {
    const report = reports.shift();
    if (report?.type === type) return report as Extract<ReflectorReport, { type: Type }>;
    if (report === undefined)
      await new Promise<void>((resolve) => {
        onReport = resolve;
      });
  }
}

function nextChange(): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = store.onChange(() => {
      unsubscribe();
      resolve();
    });
  });
}

const keys = () => [...store.keys()];

describe("list", () => {
  test("reads pages, replaces the store's content as a whole, and is followed by a watch from its version", async () => {
    let keysBetweenPages: string[] | undefined;
    server.respondsWith(
      list(10, [widget("a", 1)], "more"),
      (response, url, request) => {
        keysBetweenPages = keys();
        list(10, [widget("b", 2)])(response, url, request);
      },
      stream([]),
    );
    start();
    const first = await server.nextRequest();
    expect(first.pathname).toBe("/apis/iam.muster.dev/v1beta1/namespaces/ns/widgets");
    expect(first.searchParams.get("limit")).toBe("500");
    expect((await server.nextRequest()).searchParams.get("continue")).toBe("more");
    const watch = (await server.nextRequest()).searchParams;
    expect(keysBetweenPages).toEqual([]);
    expect(keys()).toEqual(["ns/a", "ns/b"]);
    expect(Object.fromEntries(watch)).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: "10",
      timeoutSeconds: "265",
    });
    expect(await nextReport("listed")).toMatchObject({ objects: 2, pages: 2 });
  });

  test("restarts after its continue token expired", async () => {
    server.respondsWith(
      list(10, [widget("a", 1)], "more"),
      errorStatus(410, "Expired"),
      list(20, [widget("b", 2)]),
      stream([]),
    );
    start();
    await nextReport("expired");
    await nextReport("watching");
    expect(keys()).toEqual(["ns/b"]);
  });

  test("is retried until it succeeds, with exponential backoff and jitter", async () => {
    start();
    const waits: number[] = [];
    for (let time = 0; time < 8; time++) {
      const { step, retryInMs } = await nextReport("failed");
      expect(step).toBe("list");
      waits.push(retryInMs);
      if (time === 7) server.respondsWith(list(1, []), stream([]));
      await clock.advance(retryInMs);
    }
    expect(waits).toEqual([1200, 2400, 4800, 9600, 19_200, 30_000, 30_000, 30_000]);
    await nextReport("listed");
    expect(store.synced).toBe(true);
  });

  test("fails if the response is not a list, instead of emptying the store", async () => {
    server.respondsWith(json({ kind: "Status" }), (response) => response.end("<html>"), list(1, []), stream([]));
    start();
    for (let time = 0; time < 2; time++) await clock.advance((await nextReport("failed")).retryInMs);
    await nextReport("watching");
  });
});

test("lists again, with backoff, if the list cannot be stored", async () => {
  server.respondsWith(list(10, [widget("a", 1)]), list(10, [widget("a", 1)]), stream([]));
  let broken = true;
  store.onChange(() => {
    if (broken) throw new Error("broken listener");
  });
  start();
  const { step, error, retryInMs } = await nextReport("failed");
  expect([step, String(error)]).toEqual(["list", "Error: broken listener"]);
  broken = false;
  await clock.advance(retryInMs);
  await nextReport("listed");
});

test("drops the objects that are not accepted, and continues after their versions", async () => {
  server.respondsWith(
    list(10, [widget("a", 1), widget("b", 2)]),
    stream([added("c", 11), { type: "DELETED", object: widget("a", 12) }, bookmark(13)], end),
    stream([added("a", 14)]),
  );
  start({ accepts: ({ metadata }) => metadata.name === "a" });
  await nextReport("listed");
  expect(keys()).toEqual(["ns/a"]);
  await nextChange();
  expect(keys()).toEqual([]);
  await nextChange();
  expect(keys()).toEqual(["ns/a"]);
  await server.nextRequest();
  await server.nextRequest();
  expect((await server.nextRequest()).searchParams.get("resourceVersion")).toBe("13");
});

test.each([
  [403, "Forbidden"],
  [404, "NotFound"],
])("lists again after %d, because what can be read later may be something else", async (code, reason) => {
  server.respondsWith(list(10, [widget("a", 1)]), errorStatus(code, reason), list(20, [widget("b", 15)]), stream([]));
  start();
  const failed = await nextReport("failed");
  expect(failed.step).toBe("watch");
  await clock.advance(failed.retryInMs);
  await nextReport("listed");
  expect(keys()).toEqual(["ns/b"]);
});

describe("watch", () => {
  beforeEach(() => server.respondsWith(list(10, [widget("a", 1)])));

  test("applies events to the store", async () => {
    server.respondsWith(stream([added("b", 11), { type: "DELETED", object: widget("a", 12) }]));
    start();
    await nextChange();
    await nextChange();
    await nextChange();
    expect(keys()).toEqual(["ns/b"]);
  });

  test("continues from the last event or bookmark after the API server ended the stream, without listing", async () => {
    server.respondsWith(stream([added("b", 11), bookmark(15)], end), stream([added("c", 16)], end), stream([]));
    start();
    await server.nextRequest();
    expect((await server.nextRequest()).searchParams.get("resourceVersion")).toBe("10");
    expect((await server.nextRequest()).searchParams.get("resourceVersion")).toBe("15");
    expect((await server.nextRequest()).searchParams.get("resourceVersion")).toBe("16");
    expect(keys()).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test("does not store bookmarks", async () => {
    server.respondsWith(stream([bookmark(15), added("b", 16)]));
    start();
    await nextChange();
    await nextChange();
    expect(keys()).toEqual(["ns/a", "ns/b"]);
  });

  test.each([
    ["as a status", errorStatus(410, "Expired")],
    ["in the stream", stream([expired])],
  ])("lists again after 410 %s", async (_, responder) => {
    server.respondsWith(responder, list(30, [widget("z", 25)]), stream([]));
    start();
    const { retryInMs } = await nextReport("failed");
    await clock.advance(retryInMs);
    await nextReport("listed");
    expect((await nextReport("watching")).resourceVersion).toBe("30");
    expect(keys()).toEqual(["ns/z"]);
  });

  test("lists again without a pause if 410 comes some time after the list", async () => {
    let later: () => void = () => undefined;
    server.respondsWith(
      stream([bookmark(15)], (response) => {
        later = () => response.end(`${JSON.stringify(expired)}\n`);
      }),
      list(30, []),
      stream([]),
    );
    start();
    await nextReport("watching");
    for (let request = 0; request < 2; request++) await server.nextRequest();
    await clock.advance(10_000);
    later();
    await nextReport("expired");
    expect((await nextReport("watching")).resourceVersion).toBe("30");
  });

  test("does not pay for an outage of the API server once that responds again", async () => {
    const restarting = Array.from({ length: 4 }, () => reset);
    const initializing = errorStatus(429, "TooManyRequests", { "retry-after": "1" });
    server.respondsWith(...restarting, initializing, errorStatus(410, "Expired"), list(30, []), stream([]));
    start();
    const waits: number[] = [];
    for (let failure = 0; failure < 6; failure += 1) {
      const { retryInMs } = await nextReport("failed");
      waits.push(retryInMs);
      await clock.advance(retryInMs);
    }
    expect(waits).toEqual([1200, 2400, 4800, 9600, 1050, 2400]);
    expect((await nextReport("watching")).resourceVersion).toBe("30");
  });

  test("continues from the last event after a reset in the middle of a line", async () => {
    server.respondsWith(
      stream([added("b", 11)], (response) => {
        response.write('{"type":"ADDED","obj');
        setImmediate(reset, response);
      }),
      stream([added("c", 12)]),
    );
    start();
    const { step, retryInMs } = await nextReport("failed");
    expect([step, retryInMs]).toEqual(["watch", 1200]);
    const arrival = nextChange();
    await clock.advance(retryInMs);
    expect((await nextReport("watching")).resourceVersion).toBe("11");
    await arrival;
    expect(keys()).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test.each([
    [429, "TooManyRequests"],
    [503, "ServiceUnavailable"],
  ])("waits as long as Retry-After asks after %d", async (code, reason) => {
    server.respondsWith(errorStatus(code, reason, { "retry-after": "7" }), stream([]));
    start();
    const { retryInMs } = await nextReport("failed");
    expect(retryInMs).toBeGreaterThanOrEqual(7000);
    expect(retryInMs).toBeLessThan(8000);
    await clock.advance(retryInMs);
    expect((await nextReport("watching")).resourceVersion).toBe("10");
  });

  test("is retried after 500, without listing", async () => {
    server.respondsWith(errorStatus(500, "InternalError"), stream([added("b", 11)]));
    start();
    await clock.advance((await nextReport("failed")).retryInMs);
    expect((await nextReport("watching")).resourceVersion).toBe("10");
  });

  test("reconnects after 90 s of silence", async () => {
    server.respondsWith(stream([]), stream([]));
    start();
    await nextReport("watching");
    for (let request = 0; request < 2; request++) await server.nextRequest();
    await clock.advance(89_000);
    expect(reports).toEqual([]);
    await clock.advance(1000);
    const { error, retryInMs } = await nextReport("failed");
    expect(String(error)).toContain("no event or bookmark for 90000 ms");
    await clock.advance(retryInMs);
    expect((await nextReport("watching")).resourceVersion).toBe("10");
  });

  test("does not reconnect while events arrive", async () => {
    let send: (event: unknown) => void = () => undefined;
    server.respondsWith(
      stream([], (response) => {
        send = (event) => response.write(`${JSON.stringify(event)}\n`);
      }),
    );
    start();
    await nextReport("watching");
    for (let request = 0; request < 2; request++) await server.nextRequest();
    for (let minute = 0; minute < 4; minute++) {
      await clock.advance(60_000);
      const arrival = nextChange();
      send(added(`m${minute}`, 20 + minute));
      await arrival;
    }
    expect(reports).toEqual([]);
  });

  test("resets the backoff with an event", async () => {
    server.respondsWith(
      errorStatus(500, "InternalError"),
      errorStatus(500, "InternalError"),
      stream([added("b", 11)], (response) => response.end("?\n")),
    );
    server.respondsWith(stream([]));
    start();
    const waits: number[] = [];
    for (let time = 0; time < 3; time++) {
      const { retryInMs } = await nextReport("failed");
      waits.push(retryInMs);
      await clock.advance(retryInMs);
    }
    expect(waits).toEqual([1200, 2400, 1200]);
  });

  test("backs off if the API server ends every watch at once", async () => {
    server.respondsWith(stream([], end), stream([], end), stream([]));
    start();
    const first = await nextReport("failed");
    expect(String(first.error)).toContain("ended the watch at once");
    await clock.advance(first.retryInMs);
    expect((await nextReport("failed")).retryInMs).toBeGreaterThan(first.retryInMs);
  });

  test("reconnects after a line that is not an event", async () => {
    server.respondsWith(
      stream([added("b", 11)], (response) => response.write("what?\n")),
      stream([added("c", 12)]),
    );
    start();
    const { retryInMs } = await nextReport("failed");
    const arrival = nextChange();
    await clock.advance(retryInMs);
    await arrival;
    expect(keys()).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test("lists again if resource versions went backwards, after a restored backup", async () => {
    server.respondsWith(stream([bookmark(5)]), list(6, [widget("old", 3)]), stream([]));
    start();
    await clock.advance((await nextReport("failed")).retryInMs);
    await nextReport("listed");
    expect(keys()).toEqual(["ns/old"]);
  });
});

test("continues the stream if a listener of the store throws", async () => {
  server.respondsWith(list(10, []), stream([added("b", 11), added("c", 12)]));
  store.onChange((_, after) => {
    if (after?.metadata.name === "b") throw new Error("broken listener");
  });
  start();
  expect(String((await nextReport("skipped")).error)).toContain("broken listener");
  while (store.get("ns/c") === undefined) await settled();
});

test("ends when its signal aborts, also during a pause", async () => {
  start();
  await nextReport("failed");
  abort.abort(new Error("aborted by the test"));
  await running;
  expect(clock.pending).toBe(0);
});
