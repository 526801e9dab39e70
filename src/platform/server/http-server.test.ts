import { createHook } from "node:async_hooks";
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
import { HttpServer } from "./http-server.ts";
import type { PortHandlers } from "./request-dispatcher.ts";
import { selfSignedCertificate } from "../tests/self-signed.testing.ts";
import { type PortLimits, portLimits } from "./port-limits.ts";
import { TlsFiles } from "./tls-files.ts";

let server: HttpServer;
const large = "x".repeat(8 * 1024 * 1024);

const handlers: PortHandlers = {
  kindOf: () => "http",
  rpc: async () => ({ call: () => {}, stream: () => {}, reject: () => {} }),
  http: async ({ url }, readBody): Promise<HttpResponse> => {
    const body = await readBody();
    if (url === "/large") return { status: 200, body: large };
    if (url === "/never") await new Promise(() => {});
    return { status: body === undefined ? 400 : 200, body: "response" };
  },
  rejection: (rejection) => ({ status: 400, body: rejection }),
};

async function listen(
  limits: Partial<PortLimits>,
  to = handlers,
  tls?: TlsFiles,
  trustedProxies: readonly string[] = [],
): Promise<void> {
  const options = { host: "127.0.0.1", port: 0, limits: { ...portLimits, ...limits }, tls, trustedProxies };
  server = await HttpServer.listen(options, Promise.resolve(to));
}
afterEach(() => server.close(0));

function open(localAddress?: string): Socket {
  const socket = connect({
    port: Number(new URL(server.url).port),
    host: "127.0.0.1",
    ...(localAddress === undefined ? {} : { localAddress }),
  });
  socket.on("error", () => {});
  return socket;
}

/** Opens a connection and makes a request on it. */
async function begin(localAddress?: string): Promise<Socket> {
  const socket = open(localAddress);
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

/** The first bytes of an HTTP/2 connection. */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

function http2Frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A HEADERS frame with a GET of a short path, whose fields are literals or in HPACK's static table. */
function http2Request(stream: number, path: string): Buffer {
  const [get, http, authority, pathName] = [0x82, 0x86, 0x01, 0x04];
  const text = (value: string) => [value.length, ...Buffer.from(value)];
  const fields = [get, http, authority, ...text("x"), pathName, ...text(path)];
  return http2Frame(1, 5, stream, Buffer.from(fields));
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
    expect(requests).toBeLessThanOrEqual(portLimits.pipelinedRequests);
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

  it("an HTTP/2 connection whose client does not read its responses", async () => {
    await listen({ callTime: 200, idleTime: 300 });
    const socket = open();
    const windows = [
      http2Frame(4, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
      http2Frame(8, 0, 0, Buffer.from([0x7f, 0, 0, 0])),
    ];
    socket.pause();
    socket.write(Buffer.concat([preface, ...windows, http2Request(1, "/large"), http2Request(3, "/large")]));
    await vi.waitUntil(async () => (await server.connections()) === 1);
    await vi.waitUntil(async () => (await server.connections()) === 0, { timeout: 5_000 });
    socket.destroy();
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
    await listen({ openings: 5, abandonedTime: 0 }, handlers, tls);
    let handshakes = 0;
    const hook = createHook({ init: (_, type) => void (handshakes += Number(type === "TLSWRAP")) }).enable();
    const sockets = Array.from({ length: 6 }, () => open());
    const closed = () => sockets.filter((socket) => socket.closed).length;
    await vi.waitUntil(() => closed() === 2);
    expect(await server.connections()).toBe(4);
    hook.disable();
    // A connection that is refused costs no memory of TLS.
    expect(handshakes).toBe(tls === undefined ? 0 : 4);
    for (const socket of sockets) socket.destroy();
    await vi.waitUntil(async () => (await server.connections()) === 0);
    // Connections that have begun do not count. Eight that begin at once would, on a busy machine.
    const begun: Socket[] = [];
    for (let n = 0; n < 8; n++) begun.push(await (tls === undefined ? begin() : beginTls(certificate)));
    expect(begun.filter((socket) => socket.destroyed)).toEqual([]);
    for (const socket of begun) socket.destroy();
    rmSync(folder, { recursive: true });
  });

  it("connections of an address that has abandoned many, for a while", async () => {
    await listen({ openings: 6, abandonedTime: 300 });
    for (let n = 0; n < 4; n++) {
      const abandoned = open();
      await once(abandoned, "connect");
      await vi.waitUntil(async () => (await server.connections()) === 1);
      abandoned.destroy();
      await vi.waitUntil(async () => (await server.connections()) === 0);
    }
    const response = (localAddress: string) => {
      const socket = open(localAddress);
      socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      return untilClosed(socket);
    };
    expect(await response("127.0.0.1")).toBe("");
    // Connections that have begun do not count.
    for (let n = 0; n < 6; n++) expect(await response("127.0.0.2")).toMatch(/^HTTP/);
    await vi.waitUntil(async () => (await response("127.0.0.1")) !== "");
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

  it("connections of trusted proxies, together, beyond a part that is left for others", async () => {
    await listen({ connections: 32 }, handlers, undefined, ["127.0.0.1/32", "127.0.0.3/32"]);
    const proxies = Array.from({ length: 40 }, (_, n) => open(n % 2 === 0 ? "127.0.0.1" : "127.0.0.3"));
    await vi.waitUntil(() => proxies.filter((socket) => socket.closed).length === 10);
    expect((await begin("127.0.0.2")).destroyed).toBe(false);
    for (const socket of proxies) socket.destroy();
  });
});

describe("the frames of an HTTP/2 connection", () => {
  it("are received in turns, between which others are served", async () => {
    const begun: string[] = [];
    const kindOf = ({ url = "" }: { url?: string | undefined }) => {
      if (begun.push(url) === 2) other.write("GET /other HTTP/1.1\r\nHost: x\r\n\r\n");
      // As long as a small request takes.
      const end = performance.now() + 0.2;
      while (performance.now() < end);
      return "http" as const;
    };
    await listen({ streams: 10_000 }, { ...handlers, kindOf });
    const other = await begin("127.0.0.2");
    const flood = open();
    const requests = Array.from({ length: 1_000 }, (_, n) => http2Request(2 * n + 1, "/flood"));
    flood.write(Buffer.concat([preface, http2Frame(4, 0, 0), ...requests]));
    await once(other, "data");
    expect(begun.indexOf("/other")).toBeLessThan(500);
    for (const socket of [other, flood]) socket.destroy();
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
