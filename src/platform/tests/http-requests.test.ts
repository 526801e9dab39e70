import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

/** Sends a request over HTTP/1.1, with lines of its own. @returns the status and the body */
async function send(...lines: string[]): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(Number(new URL(platform.url).port), "127.0.0.1");
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return { status: Number(head.slice(9, 12)), head, body };
}
const authorization = () => `Authorization: Bearer ${platform.admin.token}`;
const groups = "/iam/v2beta1/groups?page_size=1";

describe("a request over HTTP/1.1", () => {
  it.each([
    ["two Host headers (RFC 9112, 3.2)", ["Host: a", "Host: a"]],
    ["two Host headers that differ", ["Host: a", "host: b"]],
    ["no Host header", []],
    ["an invalid Host header", ["Host: a/b"]],
    ["a list of hosts", ["Host: a, b"]],
  ])("with %s gets 400, and the connection ends", async (_, hosts) => {
    const { status, body } = await send(`GET ${groups} HTTP/1.1`, ...hosts, authorization());
    expect(JSON.parse(body)).toMatchObject({ code: 3, message: expect.stringContaining("Host") });
    expect(status).toBe(400);
  });

  it("with two Authorization headers gets 400: a proxy may have judged the other one", async () => {
    for (const path of [groups, "/sts/exchange"]) {
      const response = await send(`GET ${path} HTTP/1.1`, "Host: a", authorization(), "authorization: Bearer other");
      expect(response).toMatchObject({ status: 400, body: expect.stringContaining("Authorization") });
    }
  });

  it.each(["a", "a.example.com:8080", "[::1]:8080", "127.0.0.1", ""])("is served for the host %j", async (host) => {
    expect((await send(`GET ${groups} HTTP/1.1`, `Host: ${host}`, authorization())).status).toBe(200);
  });

  it.each(["http://host.example.com", "HTTPS://host:8443", "http://[::1]:80"])(
    "in absolute form is served as its path (RFC 9112, 3.2.2): %s",
    async (origin) => {
      for (const path of [groups, "/livez", "/openapi.json", "", "?x=1"]) {
        const { status } = await send(`GET ${origin}${path} HTTP/1.1`, "Host: a", authorization());
        expect([path, status]).toEqual([path, 200]);
      }
      const unknown = await send(`GET ${origin}/nonsense HTTP/1.1`, "Host: a", authorization());
      expect(JSON.parse(unknown.body)).toMatchObject({ code: 5, message: 'Not found: path "/nonsense"' });
    },
  );

  it.each(["http:///livez", "http://?x", "http://user@host/livez", "ftp://host/livez", "host/livez", "//host/livez"])(
    "with the target %s is not served",
    async (target) => expect((await send(`GET ${target} HTTP/1.1`, "Host: a")).status).not.toBe(200),
  );
});

describe("HEAD", () => {
  it.each([
    ["a list", () => groups],
    ["a resource", () => `/iam/v2beta1/groups/${platform.root}`],
    ["a v1 list", () => "/iam/v1/groups"],
    ["an unknown resource", () => `/iam/v2beta1/groups/${"0".repeat(40)}`],
  ])("of %s has the headers of GET without its body", async (_, path) => {
    const [head, get] = [await platform.admin.send("HEAD", path()), await platform.admin.get(path())];
    expect([head.status, head.text]).toEqual([get.status, ""]);
    for (const name of ["content-type", "content-length", "cache-control"])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
  });

  it("needs a token, as GET does", async () => {
    expect((await platform.as(undefined).send("HEAD", groups)).status).toBe(401);
  });

  it("of a v1 list in several parts holds no list open", async () => {
    for (let n = 0; n < 201; n += 25)
      await Promise.all(Array.from({ length: 25 }, (__, k) => platform.admin.group(platform.root, `g${n + k}`)));
    // More than may be sent at a time.
    for (let n = 0; n < 100; n++)
      expect(await platform.admin.send("HEAD", "/iam/v1/groups")).toMatchObject({ status: 200, text: "" });
    const session = connectHttp2(platform.url);
    const stream = session.request({
      ":method": "HEAD",
      ":path": "/iam/v1/groups",
      authorization: `Bearer ${platform.admin.token}`,
    });
    let body = "";
    for await (const chunk of stream) body += String(chunk);
    expect([stream.sentHeaders[":method"], body, stream.rstCode]).toEqual(["HEAD", "", 0]);
    session.close();
  });

  it("is not a method of the token service, whose GET is not safe: it issues tokens", async () => {
    const response = await platform.as("token").send("HEAD", "/sts/exchange");
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });
});
