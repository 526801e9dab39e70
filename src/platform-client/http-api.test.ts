import * as z from "zod";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#src/time/clock.ts";
import type { PlatformApi } from "./api.ts";
import { PlatformFailure, type PlatformProblem } from "./failure.ts";
import { groupCollection } from "./group-collection.testing.ts";
import { HttpPlatformApi } from "./http-api.ts";
import { type Behaviour, json, rejects, serve } from "./misbehaving-server.testing.ts";
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
  const transport = new HttpTransport({
    connections: 2,
    deadlineMs: 1_500,
    clock: systemClock,
    canWrite: () => leader.held,
  });
  endings.push(() => transport.close(), server.close);
  let epoch = 1;
  let canReplace = true;
  const keepToken = () => {
    canReplace = false;
  };
  const rejected: number[] = [];
  const tokens = {
    token: async () => ({ value: `token-${epoch}`, epoch }),
    reject: (token: { readonly epoch: number }) => {
      rejected.push(token.epoch);
      if (canReplace) epoch += 1;
      return canReplace;
    },
  } as unknown as TokenSource;
  return { server, rejected, leader, keepToken, api: new HttpPlatformApi(transport, tokens, server.url) };
}

const { signal } = new AbortController();
const create = (api: PlatformApi) => api.create(groupCollection, root, { name: "payments" }, signal);

async function failureOf(call: Promise<unknown>): Promise<PlatformProblem> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PlatformFailure)) throw new Error(`expected a PlatformFailure: ${String(error)}`);
  return error.problem;
}

describe("the outcome of a POST is unknown after", () => {
  it.each<[string, Behaviour]>([
    ["a connection reset before the response", (request) => request.socket.resetAndDestroy()],
    [
      "a connection reset within the response",
      (request, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"uid":', () => request.socket.resetAndDestroy());
      },
    ],
    [
      "truncated JSON",
      (_, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"uid": "aaaa'),
    ],
    ["an HTML page of a proxy with status 200", (_, response) => response.writeHead(200).end("<html>welcome</html>")],
    [
      "an HTML page of a proxy with status 502",
      (_, response) => response.writeHead(502).end("<html>bad gateway</html>"),
    ],
    ["an empty response", json(200, undefined)],
    ["a response with a resource below another parent", json(200, { ...group, uid: `${uid}/2222222222222222` })],
    ["a resource without a uid", json(200, { name: "payments" })],
    ["an error whose code contradicts its status", rejects(200 + 303, 5)],
    ["an error with status 200", (_, response) => response.writeHead(200).end('{"code":5,"message":"m"}')],
    ["a redirect", json(302, undefined, { location: "http://127.0.0.1:1/" })],
    ["no response within the deadline", () => undefined],
    [
      "a body that is not complete within the deadline",
      (request, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(" "), 50);
        request.socket.on("close", () => clearInterval(timer));
      },
    ],
    [
      "a body that is too large",
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

  it("a refused connection", async () => {
    const { api, server } = await platform(json(200, group));
    await server.close();
    expect((await failureOf(create(api))).kind).toBe("noResponse");
  });

  it.each<[string, Behaviour, RegExp]>([
    ["no response", () => undefined, /^ORIGIN is not available: no response within \d+ ms$/],
    ["a reset connection", (request) => request.socket.resetAndDestroy(), /^ORIGIN is not available: .*ECONNRESET$/],
    [
      "what is not JSON",
      (_, response) => response.writeHead(200).end("<html>"),
      /^the body of the HTTP 200 response of ORIGIN is not JSON$/,
    ],
    [
      "what is not an error",
      (_, response) => response.writeHead(502).end("<html>"),
      /^the HTTP 502 response of ORIGIN is not an error of the platform$/,
    ],
  ])(
    "%s, and the message names who did not respond, without the path and the token",
    async (_, behaviour, expected) => {
      const { api, server } = await platform(behaviour);
      const failure = await failureOf(create(api));
      const message = failure.kind === "noResponse" ? failure.message : "";
      expect(message.replace(server.url.origin, "ORIGIN")).toMatch(expected);
    },
  );
});

describe("a well-formed response", () => {
  it("to a POST is the resource without unknown fields", async () => {
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

  it("may say that a field is null, which then has its default value", async () => {
    const { api } = await platform(json(200, { ...group, description: null }));
    expect(await api.get(groupCollection, uid, signal)).toEqual({ uid, name: "payments", description: "" });
  });

  it("may come from any API of the platform", async () => {
    const { api, server } = await platform(json(200, group));
    await api.get({ ...groupCollection, name: "repos", api: "registry/v2beta1" }, uid, signal);
    expect(server.requests[0]?.url).toBe(`/registry/v2beta1/repos/${uid}`);
  });

  it("with an error is a rejection with its Retry-After", async () => {
    const { api } = await platform(rejects(409, 6, { "retry-after": "2" }));
    expect(await failureOf(create(api))).toMatchObject({
      kind: "rejected",
      retryAfterMs: 2_000,
      error: { code: "ALREADY_EXISTS", message: "rejected with 6" },
    });
  });

  it.each([
    ["empty", json(200, undefined)],
    ["an empty object", json(200, {})],
  ])("to a DELETE may be %s", async (_, behaviour) => {
    const { api, server } = await platform(behaviour);
    await api.delete(groupCollection, uid, signal);
    expect(server.requests[0]).toMatchObject({ method: "DELETE", url: `/iam/v2beta1/groups/${uid}` });
  });

  it("to a PATCH follows a request with an update mask", async () => {
    const { api, server } = await platform(json(200, group));
    await api.update(groupCollection, uid, { name: "payments", description: "" }, ["name", "description"], signal);
    expect(server.requests[0]?.url).toBe(`/iam/v2beta1/groups/${uid}?updateMask=name%2Cdescription`);
  });

  it("to a list is a page of at most 200 resources ordered by uid", async () => {
    const { api, server } = await platform(
      json(200, { groups: [group], totalCount: "2", nextPageToken: "next", skipped: 0 }),
    );
    const page = await api.list(groupCollection, { scope: { childrenOf: root }, pageToken: "this" }, signal);
    expect(page).toMatchObject({ totalCount: 2, nextPageToken: "next", resources: [{ uid }] });
    const { searchParams } = new URL(server.requests[0]?.url ?? "", "http://platform");
    expect(Object.fromEntries(searchParams)).toEqual({
      page_size: "200",
      order_by: "uid",
      "uidp.children_of": root,
      page_token: "this",
    });
  });

  it("to a list of single resources is a page of those with the uids", async () => {
    const { api, server } = await platform(json(200, { groups: [group], totalCount: "1" }));
    await api.list(groupCollection, { uids: [uid, root] }, signal);
    const { searchParams } = new URL(server.requests[0]?.url ?? "", "http://platform");
    expect(searchParams.getAll("uidp.ids")).toEqual([uid, root]);
  });

  it.each([
    ["no resources", { totalCount: "0" }],
    ["no total", { groups: [] }],
    ["a total that is not a number", { groups: [], totalCount: "many" }],
    ["an invalid resource", { groups: [{ name: "x" }], totalCount: "1" }],
  ])("to a list is invalid with %s", async (_, body) => {
    const { api } = await platform(json(200, body));
    expect((await failureOf(api.list(groupCollection, {}, signal))).kind).toBe("noResponse");
  });

  it("to a GET is invalid with another uid", async () => {
    const { api } = await platform(json(200, { ...group, uid: `${root}/9999999999999999` }));
    expect((await failureOf(api.get(groupCollection, uid, signal))).kind).toBe("noResponse");
  });
});

describe("UNAUTHENTICATED", () => {
  it("is retried once with a new token", async () => {
    const { api, server, rejected } = await platform(rejects(401, 16), json(200, group));
    await create(api);
    expect(server.requests.map(({ authorization }) => authorization)).toEqual(["Bearer token-1", "Bearer token-2"]);
    expect(rejected).toEqual([1]);
  });

  it("is returned at once if the token was replaced a moment ago", async () => {
    const { api, server, keepToken } = await platform(rejects(401, 16));
    keepToken();
    expect(await failureOf(create(api))).toMatchObject({ error: { code: "UNAUTHENTICATED" } });
    expect(server.requests).toHaveLength(1);
  });

  it("is returned after the second response", async () => {
    const { api, server } = await platform(rejects(401, 16));
    expect(await failureOf(create(api))).toMatchObject({ error: { code: "UNAUTHENTICATED" } });
    expect(server.requests).toHaveLength(2);
  });
});

describe("a write that depends on what was read just before", () => {
  const writes: [string, (api: PlatformApi, sendBefore: number) => Promise<unknown>][] = [
    ["PATCH", (api, sendBefore) => api.update(groupCollection, uid, { name: "x" }, ["name"], signal, sendBefore)],
    ["DELETE", (api, sendBefore) => api.delete(groupCollection, uid, signal, sendBefore)],
  ];

  it.each(writes)("is sent in time: %s", async (method, write) => {
    const { api, server } = await platform(json(200, group));
    await write(api, systemClock.monotonic() + 60_000);
    expect(server.requests.map((request) => request.method)).toEqual([method]);
  });

  it.each(writes)("is not sent too late: %s", async (_, write) => {
    const { api, server } = await platform(json(200, group));
    expect(await failureOf(write(api, systemClock.monotonic()))).toEqual({ kind: "paused", retryAfterMs: 0 });
    expect(server.requests).toEqual([]);
  });

  it.each(writes)("is not sent again with a new token: %s", async (_, write) => {
    const { api, server, rejected } = await platform(rejects(401, 16), json(200, group));
    const sendBefore = systemClock.monotonic() + 60_000;
    expect(await failureOf(write(api, sendBefore))).toEqual({ kind: "paused", retryAfterMs: 0 });
    expect([server.requests.length, rejected]).toEqual([1, [1]]);
    await write(api, sendBefore);
    expect(server.requests[1]?.authorization).toBe("Bearer token-2");
  });
});

it("sends no write that was queued before leadership was lost", async () => {
  const { api, server, leader } = await platform(json(200, group));
  const write = failureOf(create(api));
  leader.held = false;
  expect(await write).toMatchObject({ kind: "paused" });
  await api.get(groupCollection, uid, signal);
  expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
});

it("rejects with the reason of the caller's abort", async () => {
  const { api } = await platform(() => undefined);
  const abort = new AbortController();
  const call = api.get(groupCollection, uid, abort.signal);
  abort.abort(new Error("stopping"));
  await expect(call).rejects.toThrow("stopping");
});

it("a malformed resource is named to those who read logs, without its content, and not in the problem", async () => {
  const page = {
    groups: [group, { ...group, uid: `${root}/2222222222222222`, name: { secret: "content" } }],
    totalCount: 2,
  };
  const { api } = await platform(json(200, page));
  const error: unknown = await api.list(groupCollection, {}, signal).catch((thrown: unknown) => thrown);
  if (!(error instanceof PlatformFailure)) throw new Error(String(error));
  expect(error.problem).toEqual({ kind: "noResponse", message: "the response is not a resource of groups" });
  expect(String(error.cause)).toBe(
    `MalformedResource: resource ${root}/2222222222222222 of groups does not match its schema: name: invalid_type`,
  );
});

it("no failure contains a token or the request body", async () => {
  const { api } = await platform(rejects(403, 7), (_, response) => response.writeHead(200).end("<html>"));
  for (let count = 0; count < 2; count += 1) {
    const error: unknown = await create(api).catch((thrown: unknown) => thrown);
    expect(JSON.stringify({ ...(error as object), message: String(error) })).not.toContain("token-");
  }
});

describe("a type whose resources are created with a code", () => {
  const invites = {
    ...groupCollection,
    issuing: { schema: groupCollection.schema.and(z.object({ code: z.string() })) },
  };
  const code = "0123456789abcdef.planted_code-of-an_invite";

  it("returns the code of the response to the create request, and of no other", async () => {
    const { api } = await platform(json(200, { ...group, code }), json(200, { ...group, code }));
    expect(await api.create(invites, root, {}, signal)).toMatchObject({ code });
    expect(JSON.stringify(await api.get(invites, uid, signal))).not.toContain(code);
  });

  it("has an unknown outcome if the response has no code", async () => {
    const { api } = await platform(json(200, group));
    expect(await failureOf(api.create(invites, root, {}, signal))).toMatchObject({ kind: "noResponse" });
  });

  it("repeats no code of a failure", async () => {
    const { api } = await platform(
      json(500, { code: 13, message: `the code ${code} of ${uid} was not stored`, details: [] }),
    );
    expect(await failureOf(api.delete(invites, uid, signal))).toMatchObject({
      error: { message: `the code [redacted] of ${uid} was not stored` },
    });
  });
});
