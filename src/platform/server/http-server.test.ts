import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpResponse } from "./http-handler.ts";
import { HttpServer, type PortHandlers } from "./http-server.ts";
import { type PortLimits, portLimits } from "./port-limits.ts";

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

async function listen(limits: Partial<PortLimits>, to = handlers): Promise<void> {
  const options = { host: "127.0.0.1", port: 0, limits: { ...portLimits, ...limits } };
  server = await HttpServer.listen(options, Promise.resolve(to));
}
afterEach(() => server.close(0));

function open(): Socket {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => {});
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
