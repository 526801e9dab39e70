import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#src/time/clock.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { PlatformFailure, type PlatformProblem } from "./failure.ts";
import { type Behaviour, json, rejects, serve } from "./misbehaving-server.testing.ts";
import { subjectTokenFile } from "./subject-token-file.ts";
import { TokenSource } from "./token-source.ts";
import { HttpTransport } from "./transport.ts";

const identity = `${"a".repeat(40)}/1111111111111111`;
const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const token = (value: string, expiresInMinutes = 60): Behaviour =>
  json(200, { token: value, refreshToken: "", expiry: new Date(start + expiresInMinutes * minute).toISOString() });

let folder = "";
let tokenFile = "";
const endings: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-token-"));
  tokenFile = join(folder, "token");
  await writeFile(tokenFile, "own-1\n");
});

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
  await rm(folder, { recursive: true });
});

async function source(...behaviours: Behaviour[]) {
  return sourceReading(() => subjectTokenFile(tokenFile)(), ...behaviours);
}

async function sourceReading(readSubjectToken: () => Promise<string>, ...behaviours: Behaviour[]) {
  const server = await serve(...behaviours);
  const transport = new HttpTransport({ connections: 2, deadlineMs: 10_000, clock: systemClock });
  endings.push(() => transport.close(), server.close);
  const clock = new ManualClock(start);
  const authUrl = new URL("/auth", server.url);
  const options = { authUrl, audience: "https://platform.example", identity, readSubjectToken, clock };
  return { server, clock, tokens: new TokenSource(transport, options) };
}

async function failureOf(call: Promise<unknown>): Promise<PlatformProblem> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof PlatformFailure)) throw new Error(`expected a PlatformFailure: ${String(error)}`);
  return error.problem;
}

describe("a token", () => {
  it("is exchanged for the workload's token, once for all concurrent callers", async () => {
    const { server, tokens } = await source(token("one"));
    const all = await Promise.all([tokens.token(), tokens.token(), tokens.token()]);
    expect(all.map(({ value }) => value)).toEqual(["one", "one", "one"]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.authorization).toBe("Bearer own-1");
    const url = new URL(server.requests[0]?.url ?? "", server.url);
    expect(url.pathname).toBe("/auth/sts/exchange");
    expect(Object.fromEntries(url.searchParams)).toEqual({ aud: "https://platform.example", identity });
  });

  it("is renewed in the background after 80 % of its lifetime", async () => {
    const { server, clock, tokens } = await source(token("one"), token("two", 120));
    await tokens.token();
    await clock.advance(47 * minute);
    await tokens.token();
    expect(server.requests).toHaveLength(1);
    await clock.advance(minute);
    expect((await tokens.token()).value).toBe("one");
    await expect.poll(() => tokens.epoch).toBe(2);
    expect((await tokens.token()).value).toBe("two");
  });

  it("is not used shortly before it expires", async () => {
    const { clock, tokens } = await source(token("one"), token("two", 120));
    await tokens.token();
    await clock.advance(60 * minute - 9_000);
    expect((await tokens.token()).value).toBe("two");
  });

  it("is used while its renewal fails", async () => {
    const { clock, tokens } = await source(token("one"), rejects(503, 14));
    await tokens.token();
    await clock.advance(50 * minute);
    expect((await tokens.token()).value).toBe("one");
  });

  it("is exchanged again after the platform rejected it, for the current content of the file", async () => {
    const { server, tokens } = await source(token("one"), token("two"));
    const first = await tokens.token();
    await writeFile(tokenFile, "own-2");
    tokens.reject(first);
    expect((await tokens.token()).value).toBe("two");
    expect(server.requests[1]?.authorization).toBe("Bearer own-2");
    // A late rejection of the first token does not affect the second one.
    tokens.reject(first);
    expect((await tokens.token()).value).toBe("two");
  });
});

describe("a wall clock that jumps", () => {
  it.each([
    ["back by an hour", -60 * minute],
    ["ahead by two hours", 120 * minute],
  ])("%s changes neither when a token is renewed nor when it expires", async (_, jump) => {
    const { server, clock, tokens } = await source(token("one"), token("two", 240));
    await tokens.token();
    clock.jumpWall(jump);
    await clock.advance(47 * minute);
    expect((await tokens.token()).value).toBe("one");
    expect(server.requests).toHaveLength(1);
    await clock.advance(13 * minute);
    expect((await tokens.token()).value).toBe("two");
  });

  it("back by an hour does not stop the exchange after a failure", async () => {
    const { clock, tokens } = await source(rejects(503, 14), token("one"));
    await failureOf(tokens.token());
    clock.jumpWall(-60 * minute);
    await clock.advance(1_000);
    expect((await tokens.token()).value).toBe("one");
  });

  it("does not exchange for each call if it is far ahead of the token service", async () => {
    const { server, clock, tokens } = await source(token("one"), token("two"));
    clock.jumpWall(120 * minute);
    await tokens.token();
    await clock.advance(20_000);
    await tokens.token();
    expect(server.requests).toHaveLength(1);
  });
});

describe("a token that the platform rejects", () => {
  it("is replaced at most once a minute", async () => {
    const { server, clock, tokens } = await source(token("one"), token("two"), token("three"));
    expect(tokens.reject(await tokens.token())).toBe(true);
    const second = await tokens.token();
    expect(tokens.reject(second)).toBe(false);
    await clock.advance(59_000);
    expect(tokens.reject(second)).toBe(false);
    expect((await tokens.token()).value).toBe("two");
    await clock.advance(1_000);
    expect(tokens.reject(second)).toBe(true);
    expect((await tokens.token()).value).toBe("three");
    expect(server.requests).toHaveLength(3);
  });

  it("may be retried if it has been replaced meanwhile", async () => {
    const { tokens } = await source(token("one"), token("two"));
    const first = await tokens.token();
    tokens.reject(first);
    await tokens.token();
    expect(tokens.reject(first)).toBe(true);
  });
});

describe("without a token", () => {
  it.each<[string, Behaviour, object]>([
    ["a rejected exchange", rejects(403, 7), { kind: "credential", cause: "exchange" }],
    ["an unknown audience", rejects(400, 3), { kind: "credential", cause: "exchange" }],
    ["an unavailable token service", rejects(503, 14), { kind: "credential", cause: "unavailable" }],
    ["an HTML page of a proxy", (_, response) => response.end("<html>"), { kind: "credential", cause: "unavailable" }],
    ["a response without a token", json(200, {}), { kind: "credential", cause: "unavailable" }],
  ])("%s", async (_, behaviour, failure) => {
    const { tokens } = await source(behaviour);
    expect(await failureOf(tokens.token())).toMatchObject(failure);
  });

  it.each([
    ["the file is empty", () => writeFile(tokenFile, " \n"), "is empty"],
    ["the file does not exist", () => rm(tokenFile), "cannot be read"],
  ])("%s", async (_, prepare, problem) => {
    await prepare();
    const { server, tokens } = await source(token("one"));
    expect(await failureOf(tokens.token())).toMatchObject({
      kind: "credential",
      cause: "unavailable",
      message: expect.stringContaining(problem),
    });
    expect(server.requests).toHaveLength(0);
    await writeFile(tokenFile, "own");
  });

  it("the exchange is retried at most once a second", async () => {
    const { server, clock, tokens } = await source(rejects(503, 14), token("one"));
    await failureOf(tokens.token());
    await failureOf(tokens.token());
    expect(server.requests).toHaveLength(1);
    await clock.advance(1_000);
    expect((await tokens.token()).value).toBe("one");
  });

  it("a refused exchange is repeated at most every 30 s", async () => {
    const { server, clock, tokens } = await source(rejects(403, 7), token("one"));
    await failureOf(tokens.token());
    await clock.advance(29_000);
    expect(await failureOf(tokens.token())).toMatchObject({ kind: "credential", cause: "exchange" });
    expect(server.requests).toHaveLength(1);
    await clock.advance(1_000);
    expect((await tokens.token()).value).toBe("one");
  });

  it("the failure of an exchange keeps its cause, and the Retry-After of the token service", async () => {
    const { tokens } = await source(rejects(429, 8, { "retry-after": "7" }));
    const error: unknown = await tokens.token().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      problem: { kind: "credential", cause: "unavailable", retryAfterMs: 7_000 },
      cause: { problem: { kind: "rejected", error: { code: "RESOURCE_EXHAUSTED" } } },
    });
  });

  it("the subject token may come from a function, whose failure is reported", async () => {
    const { tokens } = await sourceReading(() => Promise.reject(new Error("no RBAC for this account")), token("one"));
    expect(await failureOf(tokens.token())).toMatchObject({
      kind: "credential",
      cause: "unavailable",
      message: expect.stringContaining("no RBAC for this account"),
    });
  });

  it("the error contains no token", async () => {
    const { tokens } = await source(rejects(403, 7));
    const error: unknown = await tokens.token().catch((thrown: unknown) => thrown);
    expect(JSON.stringify({ ...(error as object), message: String(error) })).not.toContain("own-1");
  });
});
