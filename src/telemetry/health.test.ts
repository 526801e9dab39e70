import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type HealthServer, serveHealth } from "./health.ts";

let server: HealthServer;
let ready: boolean;
let live: boolean;
beforeEach(async () => {
  ready = false;
  live = true;
  server = await serveHealth({
    host: "127.0.0.1",
    port: 0,
    live: () => live,
    ready: () => ready,
    metrics: () => Promise.resolve("up 1\n"),
    requestTimeoutMs: 200,
  });
});
afterEach(() => server.close());

const status = async (path: string, method = "GET") => (await fetch(server.address + path, { method })).status;

test("port 0 is told as it was bound", () => {
  expect(server.address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
});

test("readiness and liveness are asked each time", async () => {
  expect(await status("/readyz")).toBe(503);
  ready = true;
  expect(await status("/readyz")).toBe(200);
  expect(await status("/livez?verbose")).toBe(200);
  live = false;
  expect(await status("/livez")).toBe(503);
});

test("metrics are Prometheus' text", async () => {
  const response = await fetch(`${server.address}/metrics`);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await response.text()).toBe("up 1\n");
});

test("nothing else is served", async () => {
  expect(await status("/")).toBe(404);
  expect(await status("/metrics/x")).toBe(404);
  expect(await status("/livez", "POST")).toBe(405);
  expect(await status("/livez", "HEAD")).toBe(200);
});

test("metrics that cannot be made are an error, not a crash", async () => {
  const broken = await serveHealth({
    host: "127.0.0.1",
    port: 0,
    ready: () => true,
    metrics: () => Promise.reject(new Error("no")),
  });
  expect((await fetch(`${broken.address}/metrics`)).status).toBe(500);
  await broken.close();
});

test("an address that is taken is an error", async () => {
  const port = Number(new URL(server.address).port);
  const second = serveHealth({ host: "127.0.0.1", port, ready: () => true, metrics: () => Promise.resolve("") });
  await expect(second).rejects.toThrow("EADDRINUSE");
});

test("who does not finish its request is cut off", async () => {
  const slow = connect(Number(new URL(server.address).port), "127.0.0.1");
  slow.write("GET /livez HTTP/1.1\r\nHost: x\r\n");
  slow.resume();
  await once(slow, "close");
});

test("closing does not wait for idle connections", async () => {
  await status("/livez");
  const idle = connect(Number(new URL(server.address).port), "127.0.0.1");
  idle.on("error", () => undefined);
  await once(idle, "connect");
  await server.close();
});
