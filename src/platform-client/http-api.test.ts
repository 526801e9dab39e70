import { afterEach, describe, expect, it } from "vitest";
import type { PlatformApi } from "./api.ts";
import { PlatformFailure, type PlatformProblem } from "./failure.ts";
import { HttpPlatformApi } from "./http-api.ts";
import { type Behaviour, json, refuses, serve } from "./misbehaving-server.testing.ts";
import type { TokenSource } from "./token-source.ts";
import { HttpTransport } from "./transport.ts";

const root = "a".repeat(40);
const uid = `${root}/1111111111111111`;
const group = { uid, name: "payments", description: "", verified: false, resourceLimits: {} };
const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

async function platform(...behaviours: Behaviour[]) {
  const server = await serve(...behaviours);
  const leader = { held: true };
  const transport = new HttpTransport({ connections: 2, deadlineMs: 300, mayWrite: () => leader.held });
  endings.push(() => transport.close(), server.close);
  let epoch = 1;
  const rejected: number[] = [];
  const tokens = {
    token: async () => ({ value: `token-${epoch}`, epoch }),
    reject: (token: { readonly epoch: number }) => {
      rejected.push(token.epoch);
      epoch += 1;
    },
  } as unknown as TokenSource;
  return { server, rejected, leader, api: new HttpPlatformApi(transport, tokens, server.url) };
}

const { signal } = new AbortController();
const create = (api: PlatformApi) => api.create("groups", root, { name: "payments" }, signal);

async function failureOf(call: Promise<unknown>): Promise<PlatformProblem> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PlatformFailure)) throw new Error(`no failure of the platform: ${String(error)}`);
  return error.problem;
}

describe("an answer that is not whole and well-formed leaves the outcome of a POST unknown", () => {
  it.each<[string, Behaviour]>([
    ["a reset before the answer", (request) => request.socket.resetAndDestroy()],
    [
      "a reset in the middle of it",
      (request, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"uid":', () => request.socket.resetAndDestroy());
      },
    ],
    [
      "truncated JSON",
      (_, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"uid": "aaaa'),
    ],
    ["a proxy's HTML with 200", (_, response) => response.writeHead(200).end("<html>welcome</html>")],
    ["a proxy's HTML with 502", (_, response) => response.writeHead(502).end("<html>bad gateway</html>")],
    ["an empty answer", json(200, undefined)],
    ["another thing than was asked for", json(200, { ...group, uid: `${uid}/2222222222222222` })],
    ["a row without uid", json(200, { name: "payments" })],
    ["a code that contradicts the status", refuses(200 + 303, 5)],
    [
      "an error whose status says that all is well",
      (_, response) => response.writeHead(200).end('{"code":5,"message":"m"}'),
    ],
    ["a redirect", json(302, undefined, { location: "http://127.0.0.1:1/" })],
    ["silence beyond the deadline", () => undefined],
    [
      "a body that drips beyond the deadline",
      (request, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(" "), 50);
        request.socket.on("close", () => clearInterval(timer));
      },
    ],
    [
      "a body larger than any that could be right",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.on("error", () => undefined);
        response.end(Buffer.alloc(17 * 1024 * 1024, " "));
      },
    ],
  ])("%s", async (_, behaviour) => {
    const { api } = await platform(behaviour);
    expect((await failureOf(create(api))).kind).toBe("noResponse");
  });

  it("nobody listens", async () => {
    const { api, server } = await platform(json(200, group));
    await server.close();
    expect((await failureOf(create(api))).kind).toBe("noResponse");
  });
});

describe("an answer in the platform's form", () => {
  it("is a row, without what we do not know of", async () => {
    const { api, server } = await platform(json(200, group));
    expect(await create(api)).toEqual({ uid, name: "payments", description: "" });
    expect(server.requests).toEqual([
      {
        method: "POST",
        url: `/iam/v2beta1/groups/${root}`,
        authorization: "Bearer token-1",
        body: '{"name":"payments"}',
      },
    ]);
  });

  it("is an error of the platform's, with its pause", async () => {
    const { api } = await platform(refuses(409, 6, { "retry-after": "2" }));
    expect(await failureOf(create(api))).toMatchObject({
      kind: "refused",
      retryAfterMs: 2_000,
      error: { code: "ALREADY_EXISTS", message: "refused with 6" },
    });
  });

  it.each([
    ["nothing", json(200, undefined)],
    ["an empty object", json(200, {})],
  ])("to a DELETE may be %s", async (_, behaviour) => {
    const { api, server } = await platform(behaviour);
    await api.delete("groups", uid, signal);
    expect(server.requests[0]).toMatchObject({ method: "DELETE", url: `/iam/v2beta1/groups/${uid}` });
  });

  it("to a PATCH changes what its mask names", async () => {
    const { api, server } = await platform(json(200, group));
    await api.update("groups", uid, { name: "payments", description: "" }, ["name", "description"], signal);
    expect(server.requests[0]?.url).toBe(`/iam/v2beta1/groups/${uid}?updateMask=name%2Cdescription`);
  });

  it("to a List is a page in the order of uids, of 200 at most", async () => {
    const { api, server } = await platform(
      json(200, { groups: [group], totalCount: "2", nextPageToken: "next", skipped: 0 }),
    );
    const page = await api.list("groups", { scope: { childrenOf: root }, pageToken: "this" }, signal);
    expect(page).toMatchObject({ totalCount: 2, nextPageToken: "next", rows: [{ uid }] });
    const { searchParams } = new URL(server.requests[0]?.url ?? "", "http://platform");
    expect(Object.fromEntries(searchParams)).toEqual({
      page_size: "200",
      order_by: "uid",
      "uidp.children_of": root,
      page_token: "this",
    });
  });

  it.each([
    ["no rows", { totalCount: "0" }],
    ["no total", { groups: [] }],
    ["a total that is no number", { groups: [], totalCount: "many" }],
    ["a row that is none", { groups: [{ name: "x" }], totalCount: "1" }],
  ])("to a List is none with %s", async (_, body) => {
    const { api } = await platform(json(200, body));
    expect((await failureOf(api.list("groups", {}, signal))).kind).toBe("noResponse");
  });

  it("to a GET is what was asked for", async () => {
    const { api } = await platform(json(200, { ...group, uid: `${root}/9999999999999999` }));
    expect((await failureOf(api.get("groups", uid, signal))).kind).toBe("noResponse");
  });
});

describe("code 16", () => {
  it("is answered with a fresh token and the same call, once", async () => {
    const { api, server, rejected } = await platform(refuses(401, 16), json(200, group));
    await create(api);
    expect(server.requests.map(({ authorization }) => authorization)).toEqual(["Bearer token-1", "Bearer token-2"]);
    expect(rejected).toEqual([1]);
  });

  it("twice is what it says", async () => {
    const { api, server } = await platform(refuses(401, 16));
    expect(await failureOf(create(api))).toMatchObject({ error: { code: "UNAUTHENTICATED" } });
    expect(server.requests).toHaveLength(2);
  });
});

describe("Retry-After is obeyed by every call", () => {
  it.each([
    ["with 429", refuses(429, 8, { "retry-after": "60" })],
    ["with a 503 that is not the platform's", json(503, undefined, { "retry-after": "60" })],
  ])("%s", async (_, behaviour) => {
    const { api, server } = await platform(behaviour);
    await failureOf(create(api));
    const held = await failureOf(api.get("groups", uid, signal));
    expect(held).toMatchObject({ kind: "paused" });
    expect(held.kind === "paused" && held.retryAfterMs).toBeGreaterThan(59_000);
    expect(server.requests).toHaveLength(1);
  });
});

it("no write leaves that was decided by a leader and comes to its turn when it leads no more", async () => {
  const { api, server, leader } = await platform(json(200, group));
  const write = failureOf(create(api));
  leader.held = false;
  expect(await write).toMatchObject({ kind: "paused" });
  await api.get("groups", uid, signal);
  expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
});

it("an abort by the caller is no failure of the platform", async () => {
  const { api } = await platform(() => undefined);
  const abort = new AbortController();
  const call = api.get("groups", uid, abort.signal);
  abort.abort(new Error("stopping"));
  await expect(call).rejects.toThrow("stopping");
});

it("no failure shows a token or what was sent", async () => {
  const { api } = await platform(refuses(403, 7), (_, response) => response.writeHead(200).end("<html>"));
  for (let count = 0; count < 2; count += 1) {
    const error: unknown = await create(api).catch((thrown: unknown) => thrown);
    expect(JSON.stringify({ ...(error as object), message: String(error) })).not.toContain("token-");
  }
});
