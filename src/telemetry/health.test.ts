import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
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
    ready: () => ({ ok: ready }),
    metrics: () => Promise.resolve("up 1\n"),
    requestTimeoutMs: 200,
  });
});
afterEach(() => server.close());

const status = async (path: string, method = "GET") => (await fetch(server.address + path, { method })).status;

test("reports the port that was bound for port 0", () => {
  expect(server.address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
});

test("evaluates readiness and liveness for each probe", async () => {
  expect(await status("/readyz")).toBe(503);
  ready = true;
  expect(await status("/readyz")).toBe(200);
  expect(await status("/livez?verbose")).toBe(200);
  live = false;
  expect(await status("/livez")).toBe(503);
});

test("serves metrics in the text format of Prometheus", async () => {
  const response = await fetch(`${server.address}/metrics`);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await response.text()).toBe("up 1\n");
});

test("serves nothing else", async () => {
  expect(await status("/")).toBe(404);
  expect(await status("/metrics/x")).toBe(404);
  expect(await status("/livez", "POST")).toBe(405);
  expect(await status("/livez", "HEAD")).toBe(200);
});

test("responds with 500 if the metrics fail", async () => {
  const broken = await serveHealth({
    host: "127.0.0.1",
    port: 0,
    ready: () => ({ ok: true }),
    metrics: () => Promise.reject(new Error("no")),
  });
  expect((await fetch(`${broken.address}/metrics`)).status).toBe(500);
  await broken.close();
});

test("rejects if the address is in use", async () => {
  const port = Number(new URL(server.address).port);
  const second = serveHealth({
    host: "127.0.0.1",
    port,
    ready: () => ({ ok: true }),
    metrics: () => Promise.resolve(""),
  });
  await expect(second).rejects.toThrow("EADDRINUSE");
});

test("disconnects a client that does not finish its request in time", async () => {
  const slow = connect(Number(new URL(server.address).port), "127.0.0.1");
  slow.write("GET /livez HTTP/1.1\r\nHost: x\r\n");
  slow.resume();
  await once(slow, "close");
});

test("responds to another address while one opens all the connections that it can have", async () => {
  const patient = await serveHealth({
    host: "127.0.0.1",
    port: 0,
    ready: () => ({ ok: true }),
    metrics: () => Promise.resolve(""),
  });
  const { port } = new URL(patient.address);
  const sockets = Array.from({ length: 100 }, () => connect(Number(port), "127.0.0.1"));
  for (const socket of sockets) socket.on("error", () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const probe = request({ host: "127.0.0.1", port, path: "/livez", localAddress: "127.0.0.2", agent: false }).end();
  const [response] = (await once(probe, "response")) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(200);
  for (const socket of sockets) socket.destroy();
  await vi.waitUntil(async () => (await fetch(`${patient.address}/livez`).catch(() => undefined))?.ok);
  await patient.close();
});

test("close does not wait for idle connections", async () => {
  await status("/livez");
  const idle = connect(Number(new URL(server.address).port), "127.0.0.1");
  idle.on("error", () => undefined);
  await once(idle, "connect");
  await server.close();
});
