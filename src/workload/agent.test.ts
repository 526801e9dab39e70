import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seeded } from "#test/support/seeded.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { Agent } from "./agent.ts";
import { ExchangeFailure } from "./exchange-failure.ts";
import { type ApiToken } from "./token-service.ts";
import type { SubjectToken } from "./subject-token.ts";
import { TokenFiles } from "./token-files.ts";
import type { TokenStatus } from "./token-status.ts";

const identity = "a".repeat(40);
const minute = 60_000;
const hour = 60 * minute;

/** A token that contains its expiry, and a digest that shows whether it is complete. */
function tokenUntil(time: number): ApiToken {
  const expiresAt = Math.floor(time);
  const body = `${expiresAt}.${"x".repeat(900)}`;
  return { value: `${body}.${createHash("sha256").update(body).digest("hex")}`, expiresAt };
}

/** In a pod, the volume is in memory. */
const memoryFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const unavailable = () => new ExchangeFailure("the token service is not available", {});
const refused = () => new ExchangeFailure("the token service refused the exchange", { refused: true });

let folder = "";
let clock = new ManualClock();
let subject: SubjectToken = { text: "pod", fingerprint: "1", claims: undefined };
let lines: { readonly level: string; readonly message: string }[] = [];
let exchanges: number[] = [];
let exchange: () => Promise<ApiToken> = async () => tokenUntil(clock.now() + hour);
let stop = new AbortController();

beforeEach(() => {
  folder = mkdtempSync(join(memoryFolder, "muster-agent-"));
  clock = new ManualClock();
  subject = { text: "pod", fingerprint: "1", claims: undefined };
  lines = [];
  exchanges = [];
  exchange = async () => tokenUntil(clock.now() + hour);
});
afterEach(() => {
  stop.abort();
  rmSync(folder, { recursive: true });
});

/** Starts an agent, as a container that starts. The one before ends. */
function start(random = () => 0.5, files = new TokenFiles(join(folder, "token"))): Agent {
  stop.abort();
  stop = new AbortController();
  const record = (level: string) => (message: string) => lines.push({ level, message });
  const agent = new Agent({
    identity,
    readSubjectToken: () => {
      if (subject.text === "") throw new Error("the file with the workload's own token cannot be read");
      return subject;
    },
    exchange: () => {
      exchanges.push(clock.monotonic());
      return exchange();
    },
    files,
    clock,
    random,
    log: { info: record("info"), warn: record("warn"), error: record("error") },
  });
  // It ends only when it is stopped.
  agent.run(stop.signal).catch(() => undefined);
  return agent;
}

const token = () => readFileSync(join(folder, "token"), "utf8");
const status = () => JSON.parse(readFileSync(join(folder, "token.json"), "utf8")) as TokenStatus;
const expiry = () => Number(token().split(".")[0]);

describe("Agent", () => {
  it("writes a token at once, and renews it before two thirds of its life", async () => {
    start();
    await clock.advance(0);
    const first = expiry();
    expect(first).toBe(clock.now() + hour);
    expect(status()).toEqual({
      identity,
      expiry: new Date(first).toISOString(),
      renewed: new Date(clock.now()).toISOString(),
    });
    await clock.advance(36 * minute);
    expect(exchanges).toHaveLength(1);
    await clock.advance(minute);
    expect(exchanges).toHaveLength(2);
    expect(expiry()).toBeGreaterThan(first);
    expect(lines.map(({ message }) => message)).toEqual(["token renewed", "token renewed"]);
  });

  it("renews at once when it is asked to, in a pause and during an attempt", async () => {
    const agent = start();
    await clock.advance(0);
    agent.renewNow();
    await clock.advance(0);
    expect(exchanges).toHaveLength(2);
    await clock.advance(30 * minute);
    expect(exchanges).toHaveLength(2);

    const slow = Promise.withResolvers<ApiToken>();
    exchange = () => slow.promise;
    agent.renewNow();
    await clock.advance(0);
    // The token that this attempt gets may have been issued before the request.
    agent.renewNow();
    slow.resolve(tokenUntil(clock.now() + hour));
    await clock.advance(0);
    expect(exchanges).toHaveLength(4);
    await clock.advance(30 * minute);
    expect(exchanges).toHaveLength(4);
  });

  it("keeps the last token during an outage, and says so in the status and the log", async () => {
    start();
    await clock.advance(0);
    const before = token();
    exchange = () => Promise.reject(unavailable());
    await clock.advance(45 * minute);
    expect(token()).toBe(before);
    expect(status()).toMatchObject({
      expiry: new Date(expiry()).toISOString(),
      failure: { message: "the token service is not available" },
    });
    expect(new Set(lines.slice(1).map(({ level, message }) => `${level}: ${message}`))).toEqual(
      new Set(["warn: renewing the token failed; the last one stays in place"]),
    );

    exchange = async () => tokenUntil(clock.now() + hour);
    await clock.advance(3 * minute);
    expect(token()).not.toBe(before);
    expect(status()).not.toHaveProperty("failure");
  });

  it("keeps a token that has expired, logs an error, and retries within 15 s", async () => {
    start();
    await clock.advance(0);
    const before = token();
    exchange = () => Promise.reject(unavailable());
    await clock.advance(5 * hour);
    expect(token()).toBe(before);
    expect(lines.at(-1)).toEqual({
      level: "error",
      message: "getting a token failed; the application has no valid one",
    });
    exchange = async () => tokenUntil(clock.now() + hour);
    await clock.advance(15_000);
    expect(expiry()).toBeGreaterThan(clock.now());
  });

  it("reports why there is no first token, and since when", async () => {
    exchange = () => Promise.reject(refused());
    const since = new Date(clock.now()).toISOString();
    start();
    await clock.advance(10 * minute);
    expect(existsSync(join(folder, "token"))).toBe(false);
    expect(status()).toEqual({ identity, failure: { since, message: "the token service refused the exchange" } });
    // Refusals are repeated less often than other failures: after a minute at most.
    expect(exchanges.length).toBeGreaterThan(10);
    expect(exchanges.length).toBeLessThan(25);
    exchange = () => Promise.reject(new Error("away"));
    await clock.advance(10 * minute);
    expect(status()).toEqual({ identity, failure: { since, message: "away" } });
  });

  it("renews when the subject token changes in anything but time", async () => {
    start();
    await clock.advance(minute);
    subject = { text: "renewed by the kubelet", fingerprint: "1", claims: undefined };
    await clock.advance(10 * minute);
    expect(exchanges).toHaveLength(1);
    subject = { text: "for another audience", fingerprint: "2", claims: undefined };
    await clock.advance(31_000);
    expect(exchanges).toHaveLength(2);
    await clock.advance(10 * minute);
    expect(exchanges).toHaveLength(2);
  });

  it("waits for a subject token that is missing, and needs no exchange to see it", async () => {
    subject = { text: "", fingerprint: "", claims: undefined };
    start();
    await clock.advance(10 * minute);
    expect(exchanges).toEqual([]);
    expect(status().failure?.message).toBe("the file with the workload's own token cannot be read");
    subject = { text: "pod", fingerprint: "1", claims: undefined };
    await clock.advance(15_000);
    expect(expiry()).toBeGreaterThan(clock.now());
  });

  it("renews at once after the machine was suspended", async () => {
    start();
    await clock.advance(minute);
    clock.jumpWall(50 * minute);
    await clock.advance(31_000);
    expect(exchanges).toHaveLength(2);
  });

  it("renews in time although the wall clock is set back", async () => {
    start();
    await clock.advance(minute);
    clock.jumpWall(-10 * hour);
    await clock.advance(39 * minute);
    expect(exchanges).toHaveLength(2);
  });

  it("continues after a restart with what the earlier container wrote", async () => {
    start();
    await clock.advance(0);
    const before = token();
    exchange = () => Promise.reject(unavailable());
    start();
    await clock.advance(minute);
    expect(token()).toBe(before);
    expect(status()).toMatchObject({ expiry: new Date(expiry()).toISOString(), failure: {} });
    expect(lines.at(-1)?.level).toBe("warn");
  });

  it("ignores the status of another identity", async () => {
    new TokenFiles(join(folder, "token")).writeStatus({ identity: "b".repeat(40), expiry: "2090-01-01T00:00:00.000Z" });
    exchange = () => Promise.reject(unavailable());
    start();
    await clock.advance(0);
    expect(status()).not.toHaveProperty("expiry");
  });

  it("makes no attempt after it was stopped", async () => {
    start();
    await clock.advance(0);
    stop.abort();
    await clock.advance(5 * hour);
    expect(exchanges).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});

describe("1,000 renewals under faults", () => {
  /** Reads both files again and again from another thread. `stop` returns what it saw. */
  function startReader(): { readonly stop: () => Promise<{ readonly reads: number; readonly mistakes: string[] }> } {
    const source = `
      const { parentPort, workerData } = require("node:worker_threads");
      const { createHash } = require("node:crypto");
      const { readFileSync } = require("node:fs");
      let reads = 0;
      const mistakes = [];
      function read() {
        for (let round = 0; round < 50; round++) {
          try {
            const [expiry, filler, digest] = readFileSync(workerData, "utf8").split(".");
            if (createHash("sha256").update(expiry + "." + filler).digest("hex") !== digest) throw new Error("partial token");
            const { identity } = JSON.parse(readFileSync(workerData + ".json", "utf8"));
            if (identity === undefined) throw new Error("partial status");
            reads += 1;
          } catch (error) {
            mistakes.push(String(error));
          }
        }
        if (mistakes.length < 10) next = setImmediate(read);
      }
      let next = setImmediate(read);
      parentPort.once("message", () => { clearImmediate(next); parentPort.postMessage({ reads, mistakes }); });`;
    const worker = new Worker(source, { eval: true, workerData: join(folder, "token") });
    return {
      stop: () =>
        new Promise((resolve, reject) => {
          worker.once("message", resolve);
          worker.once("error", reject);
          // oxlint-disable-next-line unicorn/require-post-message-target-origin
          worker.postMessage("stop");
        }),
    };
  }

  /** Sees each write: the token before must still be valid then. Some writes fail, as in a full volume. */
  class ObservedFiles extends TokenFiles {
    readonly #random: () => number;
    readonly validForMs: number[] = [];
    #expiresAt = Number.POSITIVE_INFINITY;

    constructor(path: string, random: () => number) {
      super(path);
      this.#random = random;
    }

    override write(value: string, written: TokenStatus): void {
      if (this.validForMs.length > 0 && this.#random() < 0.02) throw new Error("ENOSPC: no space left on device");
      super.write(value, written);
      this.validForMs.push(this.#expiresAt - clock.now());
      this.#expiresAt = Date.parse(written.expiry ?? "");
    }
  }

  it("never leaves the file missing or partial, nor the token expired in outages of up to 20 minutes", async () => {
    const random = seeded(20_261_122);
    const files = new ObservedFiles(join(folder, "token"), random);
    let outageEndsAt = 0;
    let failed = 0;
    exchange = async () => {
      // Most outages begin with a renewal, which is the worst moment.
      if (clock.monotonic() >= outageEndsAt + 25 * minute && random() < 0.7)
        outageEndsAt = clock.monotonic() + (random() < 0.5 ? 20 * minute : random() * 20 * minute);
      if (clock.monotonic() >= outageEndsAt) return tokenUntil(clock.now() + hour);
      failed += 1;
      const fault = random();
      // No response until the deadline of the request.
      if (fault < 0.3) await clock.sleep(10_000, stop.signal);
      throw new ExchangeFailure("the token service is not available", {
        refused: fault > 0.9,
        retryAfterMs: fault > 0.6 ? random() * hour : 0,
      });
    };
    start(random, files);
    await clock.advance(0);
    const reader = startReader();
    while (files.validForMs.length <= 1_000) {
      await clock.advance(random() * 30 * minute);
      // A container restarts.
      if (random() < 0.05) start(random, files);
      if (random() < 0.05) subject = { text: "pod", fingerprint: String(clock.now()), claims: undefined };
    }
    const { reads, mistakes } = await reader.stop();
    expect(mistakes).toEqual([]);
    expect(reads).toBeGreaterThan(1_000);
    expect(failed).toBeGreaterThan(1_000);
    expect(Math.min(...files.validForMs)).toBeGreaterThan(0);
  });
});
