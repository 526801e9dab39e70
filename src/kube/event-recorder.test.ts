import { beforeEach, describe, expect, test } from "vitest";
import { hours, minutes, seconds } from "#src/time/durations.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import type { KubeApi } from "./api.ts";
import { EventRecorder, type EventRecorderOptions } from "./event-recorder.ts";
import type { KubeObject } from "./object.ts";

interface Written {
  readonly type: string;
  readonly note: string;
  readonly eventTime: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly series?: { readonly count: number };
}

let clock: ManualClock;
let created: Written[];
let patched: unknown[];
let dropped: [reason: string, events: number][];
/** Of each created event: how long ago it had happened when it was written. */
let agesMs: number[];
let reject: boolean;
let latencyMs: number;
beforeEach(() => {
  clock = new ManualClock();
  created = [];
  patched = [];
  dropped = [];
  agesMs = [];
  reject = false;
  latencyMs = 0;
});

function newRecorder(options: Partial<EventRecorderOptions> = {}): EventRecorder {
  const api = {
    create: async (_: unknown, __: unknown, event: Written) => {
      if (reject) throw new Error("no");
      agesMs.push(clock.now() - Date.parse(event.eventTime));
      if (latencyMs > 0) await clock.sleep(latencyMs, new AbortController().signal);
      created.push(event);
      return event;
    },
    patch: (_: unknown, namespace: string, name: string, body: unknown) => {
      patched.push([namespace, name, body]);
      return Promise.resolve(body);
    },
  };
  return new EventRecorder({
    api: api as unknown as KubeApi,
    controller: "iam.muster.dev/operator",
    instance: "pod-1",
    clock,
    onDrop: (reason, events) => dropped.push([reason, events]),
    ...options,
  });
}

function object(name: string, namespace = "ns"): KubeObject {
  return {
    apiVersion: "iam.muster.dev/v1beta1",
    kind: "Group",
    metadata: { name, namespace, uid: `uid-${name}` },
  };
}

const normal = { type: "Normal", reason: "Created", action: "Create", note: "created" } as const;
const warning = { type: "Warning", reason: "TenantDenied", action: "Create", note: "denied" } as const;

/** The number of events that the created ones stand for. */
function eventsWritten(): number {
  const combined = created.map(({ note }) => Number(/^\(combined from (\d+) similar events\) /.exec(note)?.[1] ?? 1));
  return combined.reduce((sum, count) => sum + count, 0);
}

const eventsDropped = () => dropped.reduce((sum, [, events]) => sum + events, 0);

test("an event that must be written is written at once, whatever waits", async () => {
  const recorder = newRecorder({ burst: 0, ratePerSecond: 0.001 });
  recorder.record(object("b"), warning);
  await recorder.write(object("a"), normal, new AbortController().signal);
  expect(created).toMatchObject([{ ...normal, regarding: { kind: "Group", name: "a", uid: "uid-a" } }]);
});

test("the writer of an event that must be written hears that it was not", async () => {
  reject = true;
  await expect(newRecorder().write(object("a"), normal, new AbortController().signal)).rejects.toThrow("no");
  expect(dropped).toEqual([]);
});

test("an event names the object, the reporter, the reason and the time", async () => {
  newRecorder().record(object("a"), normal);
  await settled();
  expect(created).toEqual([
    {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f]+$/), namespace: "ns" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "iam.muster.dev/operator",
      reportingInstance: "pod-1",
      regarding: { apiVersion: "iam.muster.dev/v1beta1", kind: "Group", name: "a", namespace: "ns", uid: "uid-a" },
      type: "Normal",
      reason: "Created",
      action: "Create",
      note: "created",
    },
  ]);
});

test("names are unique", async () => {
  const recorder = newRecorder();
  for (let time = 0; time < 20; time++) recorder.record(object("a"), { ...normal, note: String(time) });
  await settled();
  expect(new Set(created.map(({ metadata }) => metadata.name)).size).toBe(20);
});

test("truncates a long note to 1,024 bytes, not within a character", async () => {
  newRecorder().record(object("a"), { ...normal, note: "é".repeat(2000) });
  await settled();
  const note = created[0]?.note ?? "";
  expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
  expect(Buffer.byteLength(note)).toBeGreaterThan(1015);
  expect(note).toMatch(/^é+…$/);
});

test("reports a rejected event, continues with others, and accepts the same event again", async () => {
  const recorder = newRecorder();
  reject = true;
  recorder.record(object("a"), normal);
  await settled();
  reject = false;
  recorder.record(object("b"), normal);
  recorder.record(object("a"), normal);
  await settled();
  expect(dropped).toEqual([["failed", 1]]);
  expect(created.map(({ metadata }) => metadata.name[0])).toEqual(["b", "a"]);
});

test("writes nothing after stop", async () => {
  const recorder = newRecorder({ burst: 1 });
  for (let index = 0; index < 5; index++) recorder.record(object(`o${index}`), normal);
  await settled();
  recorder.stop();
  recorder.record(object("z"), normal);
  await clock.advance(60_000);
  expect(created).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

describe("a repeated event", () => {
  test("is counted on the first one, and its count is written at most once a minute", async () => {
    const recorder = newRecorder();
    recorder.record(object("a"), normal);
    await settled();
    for (let second = 0; second < 61; second++) {
      await clock.advance(1000);
      recorder.record(object("a"), normal);
    }
    await settled();
    expect(created).toHaveLength(1);
    const name = created[0]?.metadata.name;
    expect(patched).toEqual([["ns", name, { series: { count: 61, lastObservedTime: "2026-01-01T00:01:00.000000Z" } }]]);
  });

  test("is counted while the first one is queued or being written", async () => {
    latencyMs = 1000;
    const recorder = newRecorder();
    for (const name of ["a", "b", "a", "b", "b"]) recorder.record(object(name), normal);
    await clock.advance(2000);
    expect(created.map(({ series }) => series?.count)).toEqual([undefined, 3]);
    await clock.advance(60_000);
    recorder.record(object("a"), normal);
    await settled();
    expect(patched).toMatchObject([["ns", created[0]?.metadata.name, { series: { count: 3 } }]]);
  });

  test("is a new event after six minutes without it, also if the clock was set back", async () => {
    const recorder = newRecorder();
    recorder.record(object("a"), normal);
    await settled();
    clock.jumpWall(-3_600_000);
    await clock.advance(7 * 60_000);
    recorder.record(object("a"), normal);
    await settled();
    expect(created).toHaveLength(2);
  });

  test("is a new event after six minutes without it", async () => {
    const recorder = newRecorder();
    recorder.record(object("a"), normal);
    await clock.advance(minutes(6));
    recorder.record(object("a"), normal);
    await settled();
    expect([created.length, patched.length]).toEqual([2, 0]);
  });

  test("is a new event after a thousand other events", async () => {
    const recorder = newRecorder({ burst: 2000, queueLimit: 2000 });
    for (let index = 0; index <= 1000; index++) recorder.record(object(`o${index}`), normal);
    await settled();
    recorder.record(object("o0"), normal);
    recorder.record(object("o1000"), normal);
    await settled();
    expect(created).toHaveLength(1002);
  });
});

describe("more events than tokens", () => {
  test("writes 50 at once and then 5 a second; reports what exceeds the queue", async () => {
    const recorder = newRecorder({ queueLimit: 70 });
    for (let index = 0; index < 200; index++) recorder.record(object(`o${index}`, `ns-${index}`), normal);
    await settled();
    expect(created).toHaveLength(50);
    // One is being written when the queue begins to fill.
    expect(dropped).toEqual(Array.from({ length: 129 }, () => ["full", 1]));
    await clock.advance(2000);
    expect(created).toHaveLength(60);
    await clock.advance(60_000);
    expect(created).toHaveLength(71);
  });

  test("combines events of one kind, reason and namespace", async () => {
    const recorder = newRecorder({ burst: 2 });
    for (let index = 0; index < 10; index++) recorder.record(object(`o${index}`), normal);
    recorder.record(object("o2", "elsewhere"), normal);
    recorder.record(object("o3"), warning);
    await clock.advance(1000);
    expect(created.map(({ metadata, note }) => [metadata.namespace, metadata.name.slice(0, 2), note])).toEqual([
      ["ns", "o0", "created"],
      ["ns", "o3", "denied"],
      ["ns", "o1", "(combined from 9 similar events) created"],
      ["elsewhere", "o2", "created"],
    ]);
    expect(dropped).toEqual([]);
  });

  test("writes Warnings before Normals", async () => {
    const recorder = newRecorder({ burst: 1 });
    for (const namespace of ["a", "b", "c"]) recorder.record(object("o", namespace), normal);
    for (const namespace of ["a", "b"]) recorder.record(object("o", namespace), warning);
    await clock.advance(2000);
    expect(created.map(({ type, metadata }) => [type, metadata.namespace])).toEqual([
      ["Normal", "a"],
      ["Warning", "a"],
      ["Warning", "b"],
      ["Normal", "b"],
      ["Normal", "c"],
    ]);
  });

  test("drops the oldest Normal for a Warning when the queue is full", async () => {
    const recorder = newRecorder({ burst: 1, queueLimit: 2 });
    for (const namespace of ["a", "b", "c"]) recorder.record(object("o", namespace), normal);
    for (const namespace of ["d", "e", "f"]) recorder.record(object("o", namespace), warning);
    recorder.record(object("p", "e"), warning);
    await clock.advance(5000);
    expect(created.map(({ metadata }) => metadata.namespace)).toEqual(["a", "d", "e"]);
    expect([eventsWritten(), eventsDropped()]).toEqual([4, 3]);
  });

  test("drops what would be written more than 5 s late, also if the API server is slow", async () => {
    latencyMs = 2000;
    const recorder = newRecorder();
    for (let index = 0; index < 20; index++) recorder.record(object(`o${index}`), normal);
    await clock.advance(minutes(1));
    expect(agesMs).toEqual([0, 2000, 4000]);
    expect(dropped).toEqual(Array.from({ length: 17 }, () => ["expired", 1]));
  });
});

describe("a burst of 4,500 events within 18 s", () => {
  async function burst(recorder: EventRecorder, namespaces: number): Promise<void> {
    for (let index = 0; index < 4500; index++) {
      recorder.record(object(`o${index}`, `ns-${index % namespaces}`), normal);
      if (index % 25 === 24) await clock.advance(100);
    }
  }

  test.each([1, 300])(
    "in %d namespaces is written within the rate, and ends 5 s after its last event",
    async (namespaces) => {
      await burst(newRecorder(), namespaces);
      await clock.advance(seconds(5));
      const writes = created.length + patched.length;
      expect(writes).toBeLessThanOrEqual(50 + 5 * (18 + 5));
      await clock.advance(hours(1));
      expect(created.length + patched.length).toBe(writes);
      expect(clock.pending).toBe(0);
      expect(Math.max(...agesMs)).toBeLessThanOrEqual(seconds(5));
      expect(eventsWritten() + eventsDropped()).toBe(4500);
    },
  );

  test("loses no event if all are of one group", async () => {
    await burst(newRecorder(), 1);
    await clock.advance(seconds(5));
    expect([eventsWritten(), dropped]).toEqual([4500, []]);
  });
});
