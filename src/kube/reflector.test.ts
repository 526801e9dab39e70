import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KubeClient } from "./client.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import type { KubeObject } from "./object.ts";
import { Reflector, type ReflectorReport } from "./reflector.ts";
import { end, json, refusal, reset, ScriptedServer, stream } from "./scripted-server.testing.ts";
import { Store } from "./store.ts";

const resource = { group: "iam.muster.dev", version: "v1beta1", plural: "things", kind: "Thing", namespaced: true };

function thing(name: string, version: number): KubeObject {
  const metadata = { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: String(version) };
  return { apiVersion: "iam.muster.dev/v1beta1", kind: "Thing", metadata };
}

const list = (version: number, items: readonly KubeObject[], more = "") =>
  json({ apiVersion: "v1", kind: "ThingList", metadata: { resourceVersion: String(version), continue: more }, items });
const added = (name: string, version: number) => ({ type: "ADDED", object: thing(name, version) });
const bookmark = (version: number) => ({
  type: "BOOKMARK",
  object: { apiVersion: "v1", kind: "Thing", metadata: { resourceVersion: String(version), creationTimestamp: null } },
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
  store = new Store();
  abort = new AbortController();
  reports = [];
  onReport = () => undefined;
  client = new KubeClient({ connection: { server: await server.listen(), token: () => Promise.resolve(undefined) } });
});

afterEach(async () => {
  abort.abort(new Error("the test is over"));
  await running;
  await client.close();
  await server.close();
});

function start(): void {
  const reflector = new Reflector({
    api: client,
    resource,
    namespace: "ns",
    store,
    clock,
    random: () => 0.5,
    report: (report) => {
      reports.push(report);
      onReport();
    },
  });
  running = reflector.run(abort.signal);
}

/** The next report of the type, among those that nobody has looked at. */
async function reported<Type extends ReflectorReport["type"]>(type: Type) {
  for (;;) {
    const report = reports.shift();
    if (report?.type === type) return report as Extract<ReflectorReport, { type: Type }>;
    if (report === undefined)
      await new Promise<void>((resolve) => {
        onReport = resolve;
      });
  }
}

function changed(): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = store.onChange(() => {
      unsubscribe();
      resolve();
    });
  });
}

const keys = () => [...store.keys()];

describe("list", () => {
  test("goes page by page, is swapped in whole, and is followed by a watch from its version", async () => {
    let seenBetween: string[] | undefined;
    server.answers(
      list(10, [thing("a", 1)], "more"),
      (response, url, request) => {
        seenBetween = keys();
        list(10, [thing("b", 2)])(response, url, request);
      },
      stream([]),
    );
    start();
    const first = await server.asked();
    expect(first.pathname).toBe("/apis/iam.muster.dev/v1beta1/namespaces/ns/things");
    expect(first.searchParams.get("limit")).toBe("500");
    expect((await server.asked()).searchParams.get("continue")).toBe("more");
    const watch = (await server.asked()).searchParams;
    expect(seenBetween).toEqual([]);
    expect(keys()).toEqual(["ns/a", "ns/b"]);
    expect(Object.fromEntries(watch)).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: "10",
      timeoutSeconds: "265",
    });
    expect(await reported("listed")).toMatchObject({ objects: 2, pages: 2 });
  });

  test("whose continue token expired is begun anew", async () => {
    server.answers(list(10, [thing("a", 1)], "more"), refusal(410, "Expired"), list(20, [thing("b", 2)]), stream([]));
    start();
    await reported("expired");
    await reported("watching");
    expect(keys()).toEqual(["ns/b"]);
  });

  test("that fails is tried again, with a growing wait and jitter, for as long as it takes", async () => {
    start();
    const waits: number[] = [];
    for (let time = 0; time < 8; time++) {
      const { step, retryInMs } = await reported("failed");
      expect(step).toBe("list");
      waits.push(retryInMs);
      if (time === 7) server.answers(list(1, []), stream([]));
      await clock.advance(retryInMs);
    }
    expect(waits).toEqual([1200, 2400, 4800, 9600, 19_200, 30_000, 30_000, 30_000]);
    await store.whenSynced(abort.signal);
  });

  test("that is no list is a failure, not an empty world", async () => {
    server.answers(json({ kind: "Status" }), (response) => response.end("<html>"), list(1, []), stream([]));
    start();
    for (let time = 0; time < 2; time++) await clock.advance((await reported("failed")).retryInMs);
    await reported("watching");
  });
});

describe("watch", () => {
  beforeEach(() => server.answers(list(10, [thing("a", 1)])));

  test("brings what happens", async () => {
    server.answers(stream([added("b", 11), { type: "DELETED", object: thing("a", 12) }]));
    start();
    await changed();
    await changed();
    await changed();
    expect(keys()).toEqual(["ns/b"]);
  });

  test("that ends goes on from the last event or bookmark, without a new list", async () => {
    server.answers(stream([added("b", 11), bookmark(15)], end), stream([added("c", 16)], end), stream([]));
    start();
    await server.asked();
    expect((await server.asked()).searchParams.get("resourceVersion")).toBe("10");
    expect((await server.asked()).searchParams.get("resourceVersion")).toBe("15");
    expect((await server.asked()).searchParams.get("resourceVersion")).toBe("16");
    expect(keys()).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test("a bookmark is no object", async () => {
    server.answers(stream([bookmark(15), added("b", 16)]));
    start();
    await changed();
    await changed();
    expect(keys()).toEqual(["ns/a", "ns/b"]);
  });

  test.each([
    ["as a status", refusal(410, "Expired")],
    ["in the stream", stream([expired])],
  ])("that is told 410 %s lists again", async (_, answer) => {
    server.answers(answer, list(30, [thing("z", 25)]), stream([]));
    start();
    const { retryInMs } = await reported("failed");
    await clock.advance(retryInMs);
    await reported("listed");
    expect((await reported("watching")).resourceVersion).toBe("30");
    expect(keys()).toEqual(["ns/z"]);
  });

  test("410 some time after the list is followed by a list at once", async () => {
    let later: () => void = () => undefined;
    server.answers(
      stream([bookmark(15)], (response) => {
        later = () => response.end(`${JSON.stringify(expired)}\n`);
      }),
      list(30, []),
      stream([]),
    );
    start();
    await reported("watching");
    for (let asked = 0; asked < 2; asked++) await server.asked();
    await clock.advance(10_000);
    later();
    await reported("expired");
    expect((await reported("watching")).resourceVersion).toBe("30");
  });

  test("that is reset, or cut in the middle of a line, goes on from the last event", async () => {
    server.answers(
      stream([added("b", 11)], (response) => {
        response.write('{"type":"ADDED","obj');
        setImmediate(reset, response);
      }),
      stream([added("c", 12)]),
    );
    start();
    const { step, retryInMs } = await reported("failed");
    expect([step, retryInMs]).toEqual(["watch", 1200]);
    const arrival = changed();
    await clock.advance(retryInMs);
    expect((await reported("watching")).resourceVersion).toBe("11");
    await arrival;
    expect(keys()).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test.each([
    [429, "TooManyRequests"],
    [503, "ServiceUnavailable"],
  ])("that is told %d waits as long as it is asked to", async (code, reason) => {
    server.answers(refusal(code, reason, { "retry-after": "7" }), stream([]));
    start();
    const { retryInMs } = await reported("failed");
    expect(retryInMs).toBeGreaterThanOrEqual(7000);
    expect(retryInMs).toBeLessThan(8000);
    await clock.advance(retryInMs);
    expect((await reported("watching")).resourceVersion).toBe("10");
  });

  test("that is refused with 500 goes on, without a new list", async () => {
    server.answers(refusal(500, "InternalError"), stream([added("b", 11)]));
    start();
    const arrival = reported("failed");
    await clock.advance((await arrival).retryInMs);
    expect((await reported("watching")).resourceVersion).toBe("10");
  });

  test("in which nothing is heard for 90 s is begun anew", async () => {
    server.answers(stream([]), stream([]));
    start();
    await reported("watching");
    for (let asked = 0; asked < 2; asked++) await server.asked();
    await clock.advance(89_000);
    expect(reports).toEqual([]);
    await clock.advance(1000);
    const { error, retryInMs } = await reported("failed");
    expect(String(error)).toContain("nothing heard for 90000 ms");
    await clock.advance(retryInMs);
    expect((await reported("watching")).resourceVersion).toBe("10");
  });

  test("in which bookmarks come is not silent", async () => {
    let say: (event: unknown) => void = () => undefined;
    server.answers(
      stream([], (response) => {
        say = (event) => response.write(`${JSON.stringify(event)}\n`);
      }),
    );
    start();
    await reported("watching");
    for (let asked = 0; asked < 2; asked++) await server.asked();
    for (let minute = 0; minute < 4; minute++) {
      await clock.advance(60_000);
      const arrival = changed();
      say(added(`m${minute}`, 20 + minute));
      await arrival;
    }
    expect(reports).toEqual([]);
  });

  test("that brings something lets the next wait begin small again", async () => {
    server.answers(
      refusal(500, "InternalError"),
      refusal(500, "InternalError"),
      stream([added("b", 11)], (response) => response.end("?\n")),
    );
    server.answers(stream([]));
    start();
    const waits: number[] = [];
    for (let time = 0; time < 3; time++) {
      const { retryInMs } = await reported("failed");
      waits.push(retryInMs);
      await clock.advance(retryInMs);
    }
    expect(waits).toEqual([1200, 2400, 1200]);
  });

  test("that ends at once each time is no storm", async () => {
    server.answers(stream([], end), stream([], end), stream([]));
    start();
    const first = await reported("failed");
    expect(String(first.error)).toContain("ended at once");
    await clock.advance(first.retryInMs);
    expect((await reported("failed")).retryInMs).toBeGreaterThan(first.retryInMs);
  });

  test("a line that is no event costs a connection, not the reflector", async () => {
    server.answers(
      stream([added("b", 11)], (response) => response.write("what?\n")),
      stream([added("c", 12)]),
    );
    start();
    const { retryInMs } = await reported("failed");
    const arrival = changed();
    await clock.advance(retryInMs);
    await arrival;
    expect(keys()).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test("a server whose versions went back, after a restored backup, is listed again", async () => {
    server.answers(stream([bookmark(5)]), list(6, [thing("old", 3)]), stream([]));
    start();
    await clock.advance((await reported("failed")).retryInMs);
    await reported("listed");
    expect(keys()).toEqual(["ns/old"]);
  });
});

test("one object or listener that throws does not stop the stream", async () => {
  server.answers(list(10, []), stream([added("b", 11), added("c", 12)]));
  store.onChange((_, after) => {
    if (after?.metadata.name === "b") throw new Error("what is this?");
  });
  start();
  expect(String((await reported("skipped")).error)).toContain("what is this?");
  while (store.get("ns/c") === undefined) await settled();
});

test("it ends with its signal, wherever it is", async () => {
  start();
  await reported("failed");
  abort.abort(new Error("enough"));
  await running;
  expect(clock.pending).toBe(0);
});
