import { createServer } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { AuthorizationServer } from "./authorization-server.ts";
import { browserTimeLimitMs, logInWithBrowser } from "./browser-login.ts";

const request = { through: { group: "a".repeat(40) }, audiences: [], invite: undefined };
const { signal } = new AbortController();
const server = createServer();
afterEach(() => {
  server.removeAllListeners("request").closeAllConnections();
  server.close();
});

describe("a login with the browser", () => {
  it("has a time limit, after which nothing listens", async () => {
    const clock = new ManualClock();
    const shown = Promise.withResolvers<URL>();
    const authorizationUrl: AuthorizationServer["authorizationUrl"] = (parameters) =>
      new URL(`https://auth.example/authorize?${new URLSearchParams(Object.fromEntries(parameters)).toString()}`);
    const login = logInWithBrowser(
      { issuer: "https://auth.example", authorizationUrl } as AuthorizationServer,
      request,
      { clock, signal, show: shown.resolve },
    ).catch((error: Error) => error.message);
    const callback = (await shown.promise).searchParams.get("redirect_uri") ?? "";
    await clock.advance(browserTimeLimitMs - 1);
    expect((await fetch(callback)).status).toBe(400);
    await clock.advance(1);
    expect(await login).toContain(
      "the browser did not respond within 5 minutes; run the command again, or with --headless",
    );
    await expect(fetch(callback)).rejects.toThrow("fetch failed");
  });

  it("does not wait for a platform that sends its document without end", async () => {
    const clock = new ManualClock();
    const asked = Promise.withResolvers<void>();
    server.on("request", (_, response) => {
      response.write("{");
      asked.resolve();
    });
    const authUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`;
    const found = AuthorizationServer.discover({ authUrl, env: {}, clock }, signal).catch(
      (error: Error) => error.message,
    );
    await asked.promise;
    await clock.advance(10_000);
    expect(await found).toBe(`the token service at ${authUrl} is not available: no response within 10 s`);
  });
});
