import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#src/time/clock.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { PlatformFailure, type PlatformProblem } from "./failure.ts";
import { type Behaviour, json, rejects, serve } from "./misbehaving-server.testing.ts";
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
  const server = await serve(...behaviours);
  const transport = new HttpTransport({ connections: 2, deadlineMs: 10_000, clock: systemClock });
  endings.push(() => transport.close(), server.close);
  const clock = new ManualClock(start);
  const authUrl = new URL("/auth", server.url);
  const options = { authUrl, audience: "https://platform.example", identity, tokenFile, clock };
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

  it("the error contains no token", async () => {
    const { tokens } = await source(rejects(403, 7));
    const error: unknown = await tokens.token().catch((thrown: unknown) => thrown);
    expect(JSON.stringify({ ...(error as object), message: String(error) })).not.toContain("own-1");
  });
});
