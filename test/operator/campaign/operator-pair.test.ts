import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { Operator } from "#test/support/harness/operator.ts";
import { OperatorPair } from "./operator-pair.ts";

/** A process that leads as soon as it runs. */
const program = join(tmpdir(), `leading-${process.pid}.mjs`);

beforeAll(() => writeFile(program, `console.log('{"level":"info","msg":"leading"}'); setInterval(() => {}, 60_000);`));
afterAll(() => rm(program));

it("starts an operator again that could not be started, as while the API server is away", async () => {
  let isAway = false;
  const startOperator = async () => {
    if (isAway) throw new Error("connect ECONNREFUSED");
    return new Operator(new MusterProcess([], { program }), "http://127.0.0.1:0");
  };
  const pair = new OperatorPair({ startOperator }, [], { platformUrl: "", kubernetesUrl: "" });
  try {
    await pair.led(20_000);
    await vi.waitFor(() => expect(pair.follower).toBeDefined(), 20_000);
    isAway = true;
    await Promise.all([pair.leader?.kill(), pair.follower?.kill()]);
    await vi.waitFor(() => expect(pair.failures.length).toBeGreaterThan(1), 20_000);
    isAway = false;
    await pair.led(20_000);
    await vi.waitFor(() => expect(pair.follower).toBeDefined(), 20_000);
  } finally {
    await pair.stop();
  }
});

it("starts no operator while it is held", async () => {
  let starts = 0;
  const startOperator = async () => {
    starts += 1;
    return new Operator(new MusterProcess([], { program }), "http://127.0.0.1:0");
  };
  const pair = new OperatorPair({ startOperator }, [], { platformUrl: "", kubernetesUrl: "" });
  try {
    await pair.led(20_000);
    const release = await pair.hold();
    const before = starts;
    await sleep(500);
    expect([pair.running, starts]).toEqual([[], before]);
    release();
    await pair.led(20_000);
    await vi.waitFor(() => expect(pair.follower).toBeDefined(), 20_000);
    await pair.hold();
  } finally {
    await pair.stop();
  }
});

it("calls back when an operator ends by itself, and not when it is killed", async () => {
  let starts = 0;
  const ends: number[] = [];
  const startOperator = async () => {
    starts += 1;
    const options = starts === 3 ? { launcher: ["/bin/sh", "-c", "exit 1"] } : {};
    return new Operator(new MusterProcess([], { program, ...options }), "http://127.0.0.1:0");
  };
  const pair = new OperatorPair({ startOperator }, [], { platformUrl: "", kubernetesUrl: "" });
  pair.onEnd = () => ends.push(starts);
  try {
    await pair.led(20_000);
    await vi.waitFor(() => expect(pair.follower).toBeDefined(), 20_000);
    await pair.follower?.kill();
    await vi.waitFor(() => expect(starts).toBe(4), 20_000);
    expect(ends).toEqual([3]);
  } finally {
    await pair.stop();
  }
});
