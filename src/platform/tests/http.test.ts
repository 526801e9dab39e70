import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Client, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

describe("the port", () => {
  it("serves health endpoints, and counts and times calls by method", async () => {
    const anyone = platform.as(undefined);
    expect((await anyone.get("/livez")).status).toBe(200);
    expect((await anyone.get("/readyz")).status).toBe(200);
    await platform.admin.get("/iam/v2beta1/groups/nonsense");
    const { text } = await anyone.get("/metrics");
    expect(text).toContain(
      'muster_platform_server_requests_total{method="muster.platform.iam.v2beta1.GroupsService/GetGroup",code="5"} 1',
    );
    expect(text).toContain(
      'muster_platform_server_request_duration_seconds_count{method="muster.platform.iam.v2beta1.GroupsService/GetGroup"} 1',
    );
    // A method that does not exist has no name.
    await platform.admin.get("/iam/v2beta1/nonsense");
    const { text: after } = await anyone.get("/metrics");
    expect(after).toContain('muster_platform_server_request_duration_seconds_count{method="unknown"} 1');
    expect(after).not.toContain("nonsense");
  });

  it("reports its build, the database, its limits and the age of the signing key", async () => {
    const { text } = await platform.as(undefined).get("/metrics");
    expect(text).toMatch(/^muster_build_info\{version="[\d.]+",commit="\w+",node="24[\d.]+"\} 1$/m);
    expect(text).toMatch(/^muster_platform_server_database_up 1$/m);
    expect(text).toMatch(/^muster_platform_server_requests_in_flight_limit [1-9]\d*$/m);
    expect(text).toMatch(/^muster_platform_server_signing_key_interval_seconds [1-9]\d*$/m);
    const created = /^muster_platform_server_signing_key_creation_timestamp_seconds ([\d.]+)$/m.exec(text)?.[1];
    expect(Math.abs(Number(created) - Date.now() / 1000)).toBeLessThan(86_400);
    // Without TLS.
    expect(text).not.toMatch(/^muster_platform_server_certificate_expiry_timestamp_seconds \d/m);
  });

  it("shows at its root where the documentation is: to a browser as a page, to others as JSON", async () => {
    const get = (accept: string) => fetch(`${platform.url}/`, { headers: { accept }, redirect: "manual" });
    const page = await get("text/html,application/xhtml+xml,*/*;q=0.8");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("vary")).toBe("accept");
    const paths = [...(await page.text()).matchAll(/href="([^"]+)"/g)].map(([, path]) => `/${path}`);
    expect(paths).toContain("/docs");
    const links = (await (await get("*/*")).json()) as Record<string, string>;
    expect(links).toMatchObject({ docs: "/docs", openApi: "/openapi.json" });
    expect(Object.values(links)).toEqual(paths);
    for (const path of paths) expect((await platform.as(undefined).get(path)).status).toBe(200);
    for (const path of ["//", "/index.html", "/docs/"])
      expect(await platform.as(undefined).get(path)).toMatchObject({ status: 404, body: { code: 5 } });
  });

  it("returns resources as JSON that must not be cached", async () => {
    const { headers } = await platform.admin.post(`/iam/v2beta1/groups/${platform.root}`, { name: "team a" });
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it.each([
    ["/iam/v2beta1/groups", "GET, HEAD, POST, PATCH, DELETE"],
    ["/iam/v2beta1/identities:lookupIdentity", "GET, HEAD"],
    ["/iam/v2beta1/groups/UID", "GET, HEAD, POST, PATCH, DELETE"],
    ["/iam/v2beta1/roleBindings:batchCreate", "POST"],
    ["/iam/v1/groups/UID", "POST, PUT, DELETE"],
    ["/sts/exchange", "GET, POST"],
    ["/", "GET, HEAD"],
    ["/livez", "GET, HEAD"],
    ["/docs", "GET, HEAD"],
    ["/.well-known/jwks.json", "GET, HEAD"],
    ["/token", "POST"],
    ["/authorize", "GET"],
    ["/device", "GET, POST"],
  ])("lists the methods of %s with 405, or with 501 for a method of the API", async (path, allowed) => {
    const { port } = new URL(platform.url);
    const isLogin = ["/token", "/authorize", "/device"].includes(path);
    for (const method of ["TRACE", "OPTIONS", "PROPFIND", "GET", "POST", "PUT", "PATCH", "DELETE"]) {
      if (allowed.split(", ").includes(method)) continue;
      const socket = connect(Number(port), "127.0.0.1");
      socket.write(`${method} ${path.replace("UID", platform.root)} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n`);
      let response = "";
      for await (const chunk of socket) response += String(chunk);
      const isOfApi = ["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method);
      const [status] = /\d{3}/.exec(response) ?? [];
      expect(`${method} ${status}`, response).toBe(`${method} ${isOfApi && !isLogin ? 501 : 405}`);
      const methods = /^allow: (.*)$/im.exec(response)?.[1]?.trim().split(", ").toSorted();
      expect(methods, response).toEqual(allowed.split(", ").toSorted());
    }
  });

  it("serves HEAD as GET without a body where it needs no token", async () => {
    for (const path of ["/", "/livez", "/docs", "/openapi.json", "/.well-known/openid-configuration"]) {
      const [head, get] = [await platform.as(undefined).send("HEAD", path), await platform.as(undefined).get(path)];
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(get.text)));
    }
  });

  it("rejects a body larger than 1 MiB with 3", async () => {
    const body = JSON.stringify({ name: "a", description: "x".repeat(1024 * 1024) });
    expect((await platform.admin.post(`/iam/v2beta1/groups/${platform.root}`, body)).body).toMatchObject({ code: 3 });
  });

  it("rejects headers larger than 32 KiB", async () => {
    const response = await platform.as("x".repeat(40_000)).get("/iam/v2beta1/groups");
    expect(response).toMatchObject({ status: 400, body: { code: 3, message: expect.stringContaining("32 KiB") } });
  });

  it.each([
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "nonsense\r\n\r\n",
    "\x16\x03\x01\x00\xa5",
  ])("returns the standard error response with 3 to %j, and closes the connection", async (bytes) => {
    const socket = connect(Number(new URL(platform.url).port), "127.0.0.1");
    socket.end(bytes, "latin1");
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(body)).toMatchObject({ code: 3, details: [{ reason: "INVALID_ARGUMENT" }, {}] });
  });

  it("ignores Expect values other than 100-continue", async () => {
    const socket = connect(Number(new URL(platform.url).port), "127.0.0.1");
    socket.write("GET /livez HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    expect(text).toContain("200 OK");
  });

  it("keeps connections open, and responds to pipelined requests in order", async () => {
    const socket = connect(Number(new URL(platform.url).port), "127.0.0.1");
    socket.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /nope HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    expect(text.indexOf("200 OK")).toBeLessThan(text.indexOf("404 Not Found"));
    expect(text.indexOf("200 OK")).toBeGreaterThanOrEqual(0);
  });

  it("rejects calls over the concurrency limit with 8 and Retry-After", async () => {
    const separate = await RunningPlatform.start({}, { latency: 100, maximumInFlight: 2 });
    const responses = await Promise.all(Array.from({ length: 4 }, () => separate.admin.get("/iam/v2beta1/groups")));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 429, 429]);
    const sent = responses.find(({ status }) => status === 429);
    expect(sent?.headers.get("retry-after")).toBe("1");
    expect(sent?.body).toMatchObject({ code: 8, details: [{}, { retryDelay: "1s" }] });
    await separate.stop();
  });

  it("rejects the calls of an identity over its rate limit with 8 and Retry-After, but not those of others", async () => {
    const separate = await RunningPlatform.start({}, { rateLimit: 2 });
    const [busy, other] = [
      await separate.callerWith("viewer", separate.root),
      await separate.callerWith("viewer", separate.root),
    ];
    const statuses = async (client: Client, count: number) =>
      (await Promise.all(Array.from({ length: count }, () => client.get("/iam/v2beta1/groups")))).map(
        ({ status }) => status,
      );
    separate.advance(10_000);
    expect((await statuses(busy, 4)).toSorted((a, b) => a - b)).toEqual([200, 200, 429, 429]);
    const sent = await busy.get("/iam/v2beta1/groups");
    expect(sent.headers.get("retry-after")).toBe("1");
    expect(sent.body).toMatchObject({ code: 8, details: [{}, { retryDelay: "1s" }] });
    expect(await separate.exchange(await separate.subjectToken(busy.identity), busy.identity)).toMatchObject({
      status: 429,
    });
    expect(await statuses(other, 2)).toEqual([200, 200]);
    expect(await statuses(separate.admin, 5)).toEqual([200, 200, 200, 200, 200]);
    separate.advance(1_000);
    expect(await statuses(busy, 1)).toEqual([200]);
    await separate.stop();
  });

  it("becomes unready when it stops, and serves calls until the drain delay has passed", async () => {
    const separate = await RunningPlatform.start({}, { drainDelay: 300 });
    const stopped = separate.stop();
    expect((await separate.admin.get("/readyz")).status).toBe(503);
    expect((await separate.admin.get("/livez")).status).toBe(200);
    expect((await separate.admin.get("/iam/v2beta1/groups")).status).toBe(200);
    await stopped;
    await expect(separate.admin.get("/livez")).rejects.toThrow();
  });

  it("counts a call whose client disconnects in the middle of its request, which never was in flight", async () => {
    const separate = await RunningPlatform.start();
    const half = request(`${separate.url}/iam/v2beta1/groups/${separate.root}`, {
      method: "POST",
      headers: { expect: "100-continue" },
    });
    half.on("error", () => {});
    half.flushHeaders();
    await once(half, "continue");
    half.write("{");
    await separate.admin.callsInFlight(0);
    half.destroy();
    await vi.waitUntil(async () =>
      (await separate.admin.get("/metrics")).text.includes('{method="unknown",code="1"} 1'),
    );
    await separate.admin.callsInFlight(0);
    await separate.stop();
  });
});
