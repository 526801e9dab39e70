import { createServer, type Server } from "node:http";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { startChromium } from "./chromium.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let browser: Browser;
let pages: readonly Server[];
let [allowed, refused] = ["", ""];
beforeAll(async () => {
  pages = [createServer(servePage), createServer(servePage)];
  const ports = await Promise.all(pages.map(listenOnLoopback));
  [allowed = "", refused = ""] = ports.map((port) => `http://127.0.0.1:${port}`);
  [browser, platform] = await Promise.all([startChromium(), RunningPlatform.start({ corsOrigins: [allowed] })]);
}, 120_000);
afterAll(async () => {
  await browser.close();
  for (const server of pages) server.close();
  await platform.stop();
});

function servePage(_: unknown, response: { end: (text: string) => void }): void {
  response.end("<!doctype html><title>A console</title>");
}

/** What a page of an origin gets for requests over REST, Connect and gRPC-web. */
async function callFrom(origin: string, token: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(origin);
  const results = await page.evaluate(
    async ({ url, root, bearer }) => {
      const send = async (path: string, init: Omit<RequestInit, "headers"> & { headers: Record<string, string> }) => {
        try {
          const headers = { authorization: `Bearer ${bearer}`, ...init.headers };
          const response = await fetch(url + path, { ...init, headers });
          const text = await response.text();
          return { status: response.status, text, challenge: response.headers.get("www-authenticate") };
        } catch (error) {
          return { failed: String(error) };
        }
      };
      const list = "/muster.platform.iam.v2beta1.GroupsService/ListGroups";
      const json = { "content-type": "application/json" };
      // An empty message in a frame.
      const body = new Uint8Array(5);
      const grpcWeb = { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" };
      return {
        get: await send("/iam/v2beta1/groups", { headers: {} }),
        patch: await send(`/iam/v2beta1/groups/${root}`, { method: "PATCH", headers: json, body: "{}" }),
        connect: await send(list, {
          method: "POST",
          headers: { ...json, "connect-protocol-version": "1" },
          body: "{}",
        }),
        grpcWeb: await send(list, { method: "POST", headers: grpcWeb, body }),
        refusedCall: await send(list, { method: "POST", headers: { ...grpcWeb, authorization: "Bearer x" }, body }),
        refusedGet: await send("/iam/v2beta1/groups", { headers: { authorization: "Bearer x" } }),
        login: await send("/token", { method: "POST", headers: {} }),
        withCookies: await send("/iam/v2beta1/groups", { headers: {}, credentials: "include" }),
      };
    },
    { url: platform.url, root: platform.root, bearer: token },
  );
  await context.close();
  return results;
}

const failed = { failed: expect.stringContaining("Failed to fetch") };

describe("Pages in a browser", () => {
  it("call the platform over REST, Connect and gRPC-web from an allowed origin, without cookies", async () => {
    expect(await callFrom(allowed, platform.admin.token ?? "")).toMatchObject({
      get: { status: 200, text: expect.stringContaining(platform.root) },
      patch: { status: 200 },
      connect: { status: 200, text: expect.stringContaining(platform.root) },
      grpcWeb: { status: 200, text: expect.stringMatching(/grpc-status: ?0/) },
      refusedCall: { status: 200, text: expect.stringMatching(/grpc-status: ?16/) },
      refusedGet: { status: 401, challenge: "Bearer" },
      login: failed,
      withCookies: failed,
    });
  });

  it("read nothing from another origin", async () => {
    const results = await callFrom(refused, platform.admin.token ?? "");
    for (const result of Object.values(results)) expect(result).toMatchObject(failed);
  });
});

describe("Cross-origin responses", () => {
  const send = async (at: RunningPlatform, method: string, path: string, headers: Record<string, string>) => {
    const response = await fetch(at.url + path, { method, redirect: "manual", headers });
    await response.arrayBuffer();
    const shared = [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
    return { status: response.status, shared, vary: response.headers.get("vary"), headers: response.headers };
  };
  const preflight = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" };
  const list = "/muster.platform.iam.v2beta1.GroupsService/ListGroups";
  const api = ["/iam/v2beta1/groups", "/sts/exchange", "/.well-known/jwks.json", list];

  it.each(api)("name the origin of the page for %s, and vary by it", async (path) => {
    const asked = await send(platform, "OPTIONS", path, { origin: allowed, ...preflight });
    expect(asked).toMatchObject({ status: 204, vary: "Origin" });
    expect(asked.headers.get("access-control-allow-origin")).toBe(allowed);
    expect(asked.headers.get("access-control-allow-headers")).toContain("authorization");
    expect(asked.shared).not.toContain("access-control-allow-credentials");
    const called = await send(platform, path === list ? "POST" : "GET", path, { origin: allowed });
    expect(called.headers.get("access-control-allow-origin")).toBe(allowed);
    expect(called.headers.get("access-control-expose-headers")).toContain("grpc-status");
    expect(called.vary).toBe("Origin");
  });

  it.each(api)("do not share %s with other origins, but vary", async (path) => {
    for (const origin of [refused, "null", `${allowed}.example.com`, allowed.replace("http:", "https:"), undefined]) {
      const headers = origin === undefined ? {} : { origin };
      for (const method of ["GET", "OPTIONS"])
        expect(await send(platform, method, path, { ...headers, ...preflight })).toMatchObject({
          shared: [],
          vary: "Origin",
        });
    }
  });

  it.each([
    "/authorize",
    "/login/consent",
    "/device",
    "/token",
    "/revoke",
    "/device_authorization",
    "/metrics",
    "/docs",
  ])("do not share %s", async (path) => {
    for (const method of ["GET", "POST", "OPTIONS"])
      expect((await send(platform, method, path, { origin: allowed, ...preflight })).shared).toEqual([]);
  });

  it("are not sent by default, and a preflight is a method that no path has", async () => {
    const separate = await RunningPlatform.start();
    for (const path of api) {
      const { status, shared, vary } = await send(separate, "OPTIONS", path, { origin: allowed, ...preflight });
      expect({ path, status, shared, vary }).toEqual({ path, status: 405, shared: [], vary: null });
    }
    await separate.stop();
  });

  it("are the same for errors before any handler, and below the path of the token service", async () => {
    const authUrl = "http://127.0.0.1:19/some/auth";
    const separate = await RunningPlatform.start({ authUrl, corsOrigins: [allowed] }, { maximumInFlight: 1 });
    for (const path of ["/some/auth/sts/exchange", "/some/auth/.well-known/jwks.json"])
      expect(await send(separate, "OPTIONS", path, { origin: allowed, ...preflight })).toMatchObject({ status: 204 });
    expect((await send(separate, "OPTIONS", "/some/auth/token", { origin: allowed, ...preflight })).shared).toEqual([]);
    const missing = await send(separate, "GET", "/iam/v2beta1/nothing", { origin: allowed });
    expect(missing).toMatchObject({ status: 404, shared: expect.arrayContaining(["access-control-allow-origin"]) });
    await separate.stop();
  });
});
