import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import pino from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpResponse } from "./http-handler.ts";
import { HttpServer, type PortHandlers } from "./http-server.ts";
import { selfSignedCertificate } from "../tests/self-signed.testing.ts";
import { type PortLimits, portLimits } from "./port-limits.ts";
import { TlsFiles } from "./tls-files.ts";

let server: HttpServer;
const large = "x".repeat(8 * 1024 * 1024);

const handlers: PortHandlers = {
  kindOf: () => "http",
  rpc: { call: () => {}, stream: () => {}, reject: () => {} },
  http: async ({ url }, readBody): Promise<HttpResponse> => {
    const body = await readBody();
    if (url === "/large") return { status: 200, body: large };
    if (url === "/never") await new Promise(() => {});
    return { status: body === undefined ? 400 : 200, body: "response" };
  },
  rejection: (rejection) => ({ status: 400, body: rejection }),
};

async function listen(limits: Partial<PortLimits>, to = handlers, tls?: TlsFiles): Promise<void> {
  const options = { host: "127.0.0.1", port: 0, limits: { ...portLimits, ...limits }, tls };
  server = await HttpServer.listen(options, Promise.resolve(to));
}
afterEach(() => server.close(0));

function open(): Socket {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => {});
  return socket;
}

/** Opens a connection and makes a request on it. */
async function begin(): Promise<Socket> {
  const socket = open();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "data");
  return socket;
}

async function beginTls(ca: string): Promise<Socket> {
  const socket = connectTls({ host: "127.0.0.1", port: Number(new URL(server.url).port), ca });
  await once(socket, "secureConnect");
  return socket;
}

/** Everything that the server sends until it closes the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  if (!socket.closed) await once(socket, "close");
  return text;
}

describe("the port ends", () => {
  it.each(["", "PRI * HT"])("a connection that stops after %j", async (text) => {
    await listen({ openingTime: 100 });
    const socket = open();
    socket.write(text);
    expect(await untilClosed(socket)).toBe("");
  });

  it("closes a connection that sends many requests before their responses", async () => {
    let requests = 0;
    const counting: PortHandlers = {
      ...handlers,
      http: async () => {
        requests++;
        return new Promise(() => {});
      },
    };
    await listen({}, counting);
    const socket = open();
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(500));
    await once(socket, "close");
    expect(requests).toBeLessThan(50);
  });

  it("headers that never end", async () => {
    await listen({ headersTime: 100 });
    const socket = open();
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
    expect(await untilClosed(socket)).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[^]*connection: close[^]*\r\n\r\ntimeout$/,
    );
  });

  it("a body that never ends, over HTTP/1.1", async () => {
    await listen({ callTime: 100 });
    const socket = open();
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345");
    await untilClosed(socket);
  });

  it("a body that never ends, and a call that takes too long, over HTTP/2", async () => {
    await listen({ callTime: 100 });
    const session = connectHttp2(server.url);
    for (const path of ["/", "/never"]) {
      const stream = session.request({ ":method": "POST", ":path": path }, { endStream: path === "/never" });
      stream.on("error", () => {});
      await once(stream, "close");
      expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
    }
    // Only the streams were closed.
    const stream = session.request({ ":path": "/" });
    const [headers] = (await once(stream, "response")) as [{ ":status": number }];
    expect(headers[":status"]).toBe(200);
    session.destroy();
  });

  it("a response that its client does not read", async () => {
    await listen({ callTime: 200 });
    const socket = open();
    socket.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    await vi.waitUntil(async () => (await server.connections()) === 1);
    await vi.waitUntil(async () => (await server.connections()) === 0);
    expect((await untilClosed(socket)).length).toBeLessThan(large.length);
  });

  it("an idle connection of either protocol", async () => {
    await listen({ idleTime: 100 });
    const socket = open();
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await untilClosed(socket)).toContain("200 OK");
    const session = connectHttp2(server.url);
    await once(session, "close");
  });

  it("an HTTP/2 connection without requests, even if it sends pings", async () => {
    await listen({ idleTime: 200 });
    const session = connectHttp2(server.url);
    session.on("error", () => {});
    const pings = setInterval(() => session.destroyed || session.ping(() => {}), 20);
    await once(session, "close");
    clearInterval(pings);
  });

  it.each(["without TLS", "with TLS"])("connections that do not begin beyond their limit, %s", async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), "muster-port-"));
    const { key, certificate } = selfSignedCertificate();
    const paths = { certificate: join(folder, "tls.crt"), key: join(folder, "tls.key") };
    writeFileSync(paths.certificate, certificate);
    writeFileSync(paths.key, key);
    const tls = kind === "with TLS" ? new TlsFiles(paths, pino({ level: "silent" })) : undefined;
    await listen({ openings: 5 }, handlers, tls);
    const sockets = Array.from({ length: 6 }, open);
    const closed = () => sockets.filter((socket) => socket.closed).length;
    await vi.waitUntil(() => closed() === 2);
    expect(await server.connections()).toBe(4);
    for (const socket of sockets) socket.destroy();
    await vi.waitUntil(async () => (await server.connections()) === 0);
    // Connections that have begun do not count.
    const begun = await Promise.all(
      Array.from({ length: 8 }, () => (tls === undefined ? begin() : beginTls(certificate))),
    );
    expect(begun.filter((socket) => socket.destroyed)).toEqual([]);
    for (const socket of begun) socket.destroy();
    rmSync(folder, { recursive: true });
  });

  it("connections beyond the limit", async () => {
    await listen({ connections: 1 });
    const first = open();
    await once(first, "connect");
    const second = open();
    expect(await untilClosed(second)).toBe("");
    expect(await server.connections()).toBe(1);
    first.destroy();
  });
});

describe("a body in parts", () => {
  it.each(["HTTP/1.1", "HTTP/2"])("is read only as fast as its client receives it, over %s", async (protocol) => {
    let read = 0;
    const ended = Promise.withResolvers<void>();
    async function* parts() {
      try {
        for (; read < 10_000; read++) yield "x".repeat(64 * 1024);
      } finally {
        ended.resolve();
      }
    }
    await listen({}, { ...handlers, http: async () => ({ status: 200, body: parts() }) });
    if (protocol === "HTTP/2") {
      const session = connectHttp2(server.url);
      const stream = session.request({ ":path": "/" });
      await once(stream, "response");
      session.destroy();
    } else {
      const socket = await begin();
      socket.pause();
      await vi.waitUntil(() => read > 0);
      socket.destroy();
    }
    // When the client has disconnected, no more is read.
    await ended.promise;
    expect(read).toBeLessThan(500);
  });
});

describe("close", () => {
  it("completes running HTTP/2 requests and ends right after the last response", async () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<HttpResponse>();
    const http = () => {
      started.resolve();
      return finish.promise;
    };
    await listen({}, { ...handlers, http });
    const session = connectHttp2(server.url);
    const stream = session.request({ ":path": "/" });
    const responded = once(stream, "response");
    const goneAway = once(session, "goaway");
    stream.resume();
    await started.promise;
    const closed = server.close(5_000);
    await goneAway;
    const before = performance.now();
    finish.resolve({ status: 200, body: "x" });
    expect((await responded)[0]).toMatchObject({ ":status": 200 });
    await closed;
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
