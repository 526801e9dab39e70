import { beforeEach, expect, test } from "vitest";
import type { KubeApi } from "./api.ts";
import { EventRecorder, type EventRecorderOptions } from "./events.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import type { KubeObject } from "./object.ts";

interface Written {
  readonly type: string;
  readonly note: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly series?: { readonly count: number };
}

let clock: ManualClock;
let created: Written[];
let patched: unknown[];
let dropped: unknown[];
let refuse: boolean;
beforeEach(() => {
  clock = new ManualClock();
  created = [];
  patched = [];
  dropped = [];
  refuse = false;
});

function recorder(options: Partial<EventRecorderOptions> = {}): EventRecorder {
  const api = {
    create: (_: unknown, __: unknown, event: Written) => {
      if (refuse) return Promise.reject(new Error("no"));
      created.push(event);
      return Promise.resolve(event);
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
    onDrop: (why) => dropped.push(why),
    ...options,
  });
}

function object(name: string): KubeObject {
  return {
    apiVersion: "iam.muster.dev/v1beta1",
    kind: "Group",
    metadata: { name, namespace: "ns", uid: `uid-${name}` },
  };
}

const happened = { type: "Normal", reason: "Created", action: "Create", note: "made" } as const;

test("an event says what happened to what, who says so and when", async () => {
  recorder().record(object("a"), happened);
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
      note: "made",
    },
  ]);
});

test("names do not repeat", async () => {
  const one = recorder();
  for (let time = 0; time < 20; time++) one.record(object("a"), { ...happened, note: String(time) });
  await settled();
  expect(new Set(created.map(({ metadata }) => metadata.name)).size).toBe(20);
});

test("what repeats is counted on one event, and written at most once a minute", async () => {
  const one = recorder();
  one.record(object("a"), happened);
  await settled();
  for (let second = 0; second < 61; second++) {
    await clock.advance(1000);
    one.record(object("a"), happened);
  }
  await settled();
  expect(created).toHaveLength(1);
  const name = created[0]?.metadata.name;
  expect(patched).toEqual([["ns", name, { series: { count: 61, lastObservedTime: "2026-01-01T00:01:00.000000Z" } }]]);
});

test("what was said of a thousand other things since is not remembered", async () => {
  const one = recorder({ burst: 2000, queueLimit: 2000 });
  for (let index = 0; index <= 1000; index++) one.record(object(`o${index}`), happened);
  await settled();
  one.record(object("o0"), happened);
  one.record(object("o1000"), happened);
  await settled();
  expect(created).toHaveLength(1002);
});

test("after six quiet minutes it is a new event", async () => {
  const one = recorder();
  one.record(object("a"), happened);
  await clock.advance(6 * 60_000);
  one.record(object("a"), happened);
  await settled();
  expect([created.length, patched.length]).toEqual([2, 0]);
});

test("50 at once, then 5 a second; what exceeds the queue is dropped and told", async () => {
  const one = recorder({ queueLimit: 70 });
  for (let index = 0; index < 200; index++) one.record(object(`o${index}`), happened);
  await settled();
  expect(created).toHaveLength(50);
  // One is under way when the queue begins to fill.
  expect(dropped).toHaveLength(129);
  await clock.advance(2000);
  expect(created).toHaveLength(60);
  await clock.advance(60_000);
  expect(created).toHaveLength(71);
});

test("a refusal is told, does not hold up others, and the same may be tried again", async () => {
  const one = recorder();
  refuse = true;
  one.record(object("a"), happened);
  await settled();
  refuse = false;
  one.record(object("b"), happened);
  one.record(object("a"), happened);
  await settled();
  expect(dropped).toEqual(["failed"]);
  expect(created.map(({ metadata }) => metadata.name[0])).toEqual(["b", "a"]);
});

test("a long note is cut at 1,024 bytes, not within a character", async () => {
  recorder().record(object("a"), { ...happened, note: "é".repeat(2000) });
  await settled();
  const note = created[0]?.note ?? "";
  expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
  expect(Buffer.byteLength(note)).toBeGreaterThan(1015);
  expect(note).toMatch(/^é+…$/);
});

test("stopped, it writes nothing more", async () => {
  const one = recorder({ burst: 1 });
  for (let index = 0; index < 5; index++) one.record(object(`o${index}`), happened);
  await settled();
  one.stop();
  one.record(object("z"), happened);
  await clock.advance(60_000);
  expect(created).toHaveLength(1);
  expect(clock.pending).toBe(0);
});
