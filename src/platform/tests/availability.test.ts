import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, describe, expect, it, vi } from "vitest";
import { GroupsService } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { DiscoveredIssuer } from "./discovered-issuer.testing.ts";
import { RunningPlatform, type Client } from "./running-platform.testing.ts";

let platform: RunningPlatform;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await platform.stop();
});

const mebibyte = 1024 * 1024;
const continued = "HTTP/1.1 100 Continue\r\n\r\n";

/** Sends the head of a POST, and the beginning of its body once the platform has received the head. @returns the response */
async function halfSentPost(
  token: string | undefined,
  body = "{",
  forwardedFor = "",
): Promise<{ socket: Socket; received: () => string }> {
  const { port, hostname } = new URL(platform.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on("error", () => {});
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const authorization = token === undefined ? "" : `Authorization: Bearer ${token}\r\n`;
  socket.write(
    `POST /iam/v2beta1/groups/${platform.root} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${forwardedFor}\r\n${authorization}Content-Length: 900000\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, "data");
  socket.write(body);
  return { socket, received: () => text };
}

const statuses = (client: Client, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await client.get("/iam/v2beta1/groups")).status));

describe("Before authentication", () => {
  it("requests whose body is not complete take no slot", async () => {
    platform = await RunningPlatform.start({}, { maximumInFlight: 5 });
    for (let count = 0; count < 10; count++) await halfSentPost(count % 2 === 0 ? undefined : platform.admin.token);
    expect(await statuses(platform.admin, 1)).toEqual([200]);
  });

  it("incomplete gRPC requests take no slot", async () => {
    platform = await RunningPlatform.start({}, { maximumInFlight: 2 });
    const session = connectHttp2(platform.url);
    for (let count = 0; count < 5; count++) {
      const stream = session.request({
        ":method": "POST",
        ":path": "/muster.platform.iam.v2beta1.GroupsService/ListGroups",
        "content-type": "application/grpc",
        te: "trailers",
      });
      stream.on("error", () => {});
      stream.write(Buffer.from([0]));
    }
    await new Promise((resolve) => session.ping(resolve));
    expect(await statuses(platform.admin, 1)).toEqual([200]);
    session.destroy();
  });
});

describe("The port", () => {
  it("bounds the memory of requests that are being received, and leaves room for other addresses", async () => {
    const limits = { requestMemory: 2 * mebibyte };
    platform = await RunningPlatform.start({}, { limits, trustedProxies: ["127.0.0.0/8"] });
    const large = "x".repeat(200_000);
    const attacker = await Promise.all(Array.from({ length: 20 }, () => halfSentPost(undefined, large, "192.0.2.1")));
    const rejected = () => attacker.filter(({ received }) => received().includes("HTTP/1.1 429 "));
    // Two thirds of the memory, for requests of 200 KB and 32 KiB each.
    await vi.waitUntil(() => rejected().length >= 14, { timeout: 10_000 });
    expect(rejected()[0]?.received()).toMatch(/^retry-after: 1\r\n[^]*"code":8/im);
    const other = await halfSentPost(undefined, large, "192.0.2.2");
    expect(await statuses(platform.admin, 1)).toEqual([200]);
    expect(other.received()).toBe(continued);
  });

  it.each(["REST", "gRPC"])("bounds the memory of responses that clients do not read, over %s", async (transport) => {
    platform = await RunningPlatform.start({}, { limits: { requestMemory: 600 * 1024 } });
    const description = "d".repeat(500);
    for (let count = 0; count < 100; count++)
      await platform.admin.ok("POST", `/iam/v2beta1/groups/${platform.root}`, { name: `g${count}`, description });
    // The client accepts the beginning of a body, and reads nothing.
    const session = connectHttp2(platform.url, { settings: { initialWindowSize: 1_000 } });
    const path = transport === "REST" ? "/iam/v2beta1/groups?page_size=100" : `/${GroupsService.typeName}/ListGroups`;
    const codeOf = async () => {
      const stream = session.request({
        ":method": transport === "REST" ? "GET" : "POST",
        ":path": path,
        authorization: `Bearer ${platform.admin.token}`,
        ...(transport === "REST" ? {} : { "content-type": "application/grpc", te: "trailers" }),
      });
      stream.on("error", () => {});
      if (transport === "gRPC") stream.end(Buffer.from([0, 0, 0, 0, 2, 24, 100]));
      const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
      if (transport === "REST") return headers[":status"];
      return Promise.race([once(stream, "trailers").then(([trailers]) => trailers["grpc-status"]), nextTurns(session)]);
    };
    const codes = [];
    for (let count = 0; count < 10; count++) codes.push(await codeOf());
    // A page has more than 50 KB, and one address can use two thirds of 600 KiB.
    expect(codes.filter((code) => code === (transport === "REST" ? 429 : "8")).length).toBeGreaterThan(3);
    expect(codes.slice(0, 2)).toEqual(transport === "REST" ? [200, 200] : ["unread", "unread"]);
    session.destroy();
  });

  it("rejects a body that is not received in time with 3", async () => {
    platform = await RunningPlatform.start({}, { limits: { bodyTime: 100 } });
    const { socket, received } = await halfSentPost(platform.admin.token);
    await once(socket, "end");
    expect(received()).toMatch(/HTTP\/1\.1 400 [^]*connection: close[^]*"code":3[^]*was not received in time/);
  });

  it("limits streaming calls, which need no token", async () => {
    platform = await RunningPlatform.start({}, { limits: { streamingCalls: 6 } });
    const transport = createGrpcTransport({ baseUrl: platform.url });
    const ended = new AbortController();
    const codeOfWatch = async () => {
      const watch = createClient(Health, transport).watch({}, { signal: ended.signal });
      try {
        await watch[Symbol.asyncIterator]().next();
        return 0;
      } catch (error) {
        return ConnectError.from(error).code;
      }
    };
    const codes = await Promise.all(Array.from({ length: 6 }, codeOfWatch));
    expect(codes.filter((code) => code === 0)).toHaveLength(4);
    expect(codes.filter((code) => code === Code.ResourceExhausted)).toHaveLength(2);
    const reflection = createClient(ServerReflection, transport).serverReflectionInfo(silent(ended.signal));
    await expect(reflection[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: Code.ResourceExhausted });
    expect(await createClient(Health, transport).check({})).toMatchObject({ status: 1 });
    ended.abort();
  });

  it("closes an HTTP/2 connection of which many requests are refused", async () => {
    platform = await RunningPlatform.start({}, { limits: { streamingCalls: 1 } });
    const session = connectHttp2(platform.url);
    session.on("error", () => {});
    const goaway = once(session, "goaway", { signal: AbortSignal.timeout(10_000) });
    for (let count = 0; count < 150; count++) {
      const headers = { "content-type": "application/grpc", te: "trailers" };
      const stream = session.request({ ":method": "POST", ":path": "/grpc.health.v1.Health/Watch", ...headers });
      stream.on("error", () => {});
      stream.resume();
      stream.end(Buffer.alloc(5));
    }
    await goaway;
    session.destroy();
  });
});

/** Resolves when the server has sent all that it can of a response: two pings later. */
async function nextTurns(session: ClientHttp2Session): Promise<"unread"> {
  for (let count = 0; count < 2; count++) await new Promise((resolve) => session.ping(resolve));
  return "unread";
}

// oxlint-disable-next-line require-yield -- a client that opens a stream and sends nothing
async function* silent(signal: AbortSignal): AsyncGenerator<never> {
  await once(signal, "abort");
}

describe("Fairness", () => {
  it("a tenant whose issuer hangs does not take the slots of other tenants", async () => {
    const asked = Promise.withResolvers<void>();
    const hanging = await DiscoveredIssuer.start();
    hanging.respond = () => asked.resolve();
    platform = await RunningPlatform.start({ trustedIssuers: [hanging.trusted] }, { maximumInFlight: 10 });
    const tenant = async (name: string) => (await platform.admin.ok("POST", "/iam/v2beta1/groups/", { name })).uid;
    const [busy, other] = [await tenant("busy"), await tenant("other")];
    const bystander = await platform.callerWith("viewer", other);
    const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/identities/${busy}`, {
      name: "hanging",
      claimMatch: { issuer: hanging.url, subject: "s" },
    });
    const token = await hanging.sign({ sub: "s" });
    const exchanges = Array.from({ length: 40 }, () => platform.exchange(token, uid));
    await asked.promise;
    for (let count = 0; count < 40; count++) expect(await statuses(bystander, 1)).toEqual([200]);
    hanging.stop();
    const codes = (await Promise.all(exchanges)).map(({ status }) => status);
    expect(codes).toContain(429);
    expect(codes.filter((status) => status !== 429).length).toBeGreaterThan(3);
  });
});
