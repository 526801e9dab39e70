import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KubeClient } from "./client.ts";
import { isNotFound, isThrottled, isUnanswered, KubeError } from "./errors.ts";
import { json, refusal, reset, ScriptedServer, stream } from "./scripted-server.testing.ts";
import type { ObservedCall } from "./transport.ts";

const things = { group: "iam.muster.dev", version: "v1beta1", plural: "things", kind: "Thing", namespaced: true };
const spaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };

let server: ScriptedServer;
let address: URL;
let client: KubeClient;
let observed: ObservedCall[];
let signal: AbortSignal;

beforeEach(async () => {
  server = new ScriptedServer();
  observed = [];
  signal = new AbortController().signal;
  address = await server.listen();
  client = connect();
});

afterEach(async () => {
  await client.close();
  await server.close();
});

function connect(options: { readonly connections?: number; readonly deadlineMs?: number } = {}): KubeClient {
  return new KubeClient({
    connection: { server: address, token: () => Promise.resolve("secret-token") },
    observe: (call) => observed.push(call),
    ...options,
  });
}

async function failureOf(call: Promise<unknown>): Promise<KubeError> {
  const error: unknown = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(KubeError);
  return error as KubeError;
}

/** Answers with what was asked. */
function echo(): void {
  server.answers((response, url, request) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () =>
      response.end(
        JSON.stringify({
          method: request.method,
          path: url.pathname + url.search,
          type: request.headers["content-type"],
          authorization: request.headers.authorization,
          body: body === "" ? undefined : (JSON.parse(body) as unknown),
        }),
      ),
    );
  });
}

const root = "/apis/iam.muster.dev/v1beta1";
const authorization = "Bearer secret-token";
const calls: readonly (readonly [string, () => Promise<unknown>, object])[] = [
  [
    "get",
    () => client.get(things, "ns", "a", { signal }),
    { method: "GET", path: `${root}/namespaces/ns/things/a`, authorization },
  ],
  [
    "get of what is cluster-scoped, in the core group",
    () => client.get(spaces, undefined, "kube-system", { signal }),
    { method: "GET", path: "/api/v1/namespaces/kube-system", authorization },
  ],
  [
    "create",
    () => client.create(things, "ns", { spec: 1 }, { signal }),
    {
      method: "POST",
      path: `${root}/namespaces/ns/things`,
      type: "application/json",
      authorization,
      body: { spec: 1 },
    },
  ],
  [
    "replace",
    () => client.replace(things, "ns", "a", { spec: 2 }, { signal }),
    {
      method: "PUT",
      path: `${root}/namespaces/ns/things/a`,
      type: "application/json",
      authorization,
      body: { spec: 2 },
    },
  ],
  [
    "patch of the status",
    () => client.patch(things, "ns", "a", { status: 1 }, { signal, subresource: "status" }),
    {
      method: "PATCH",
      path: `${root}/namespaces/ns/things/a/status`,
      type: "application/merge-patch+json",
      authorization,
      body: { status: 1 },
    },
  ],
  [
    "a name cannot lead elsewhere",
    () => client.get(things, "ns", "../../x?y", { signal }),
    { method: "GET", path: `${root}/namespaces/ns/things/..%2F..%2Fx%3Fy`, authorization },
  ],
];

describe("requests", () => {
  test.each(calls)("%s", async (_, call, expected) => {
    echo();
    expect(await call()).toEqual(expected);
  });

  test("delete carries its guards", async () => {
    let body = "";
    server.answers((response, url, request) => {
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => json({ kind: "Status" })(response, url, request));
    });
    await client.delete(things, "ns", "a", { signal, uid: "u" });
    expect(JSON.parse(body)).toMatchObject({ kind: "DeleteOptions", preconditions: { uid: "u" } });
  });

  test.each(["", ".", ".."])("the name %j is refused here", async (name) => {
    await expect(client.get(things, "ns", name, { signal })).rejects.toThrow("is not a name");
  });

  test("a token is asked for with audience and time, and nothing else is taken for one", async () => {
    server.answers(
      json({ status: { token: "t", expirationTimestamp: "2026-01-01T00:00:00Z" } }, 201),
      json({ status: {} }, 201),
    );
    const request = { audiences: ["a"], expirationSeconds: 600 };
    expect(await client.createToken("ns", "muster", request, { signal })).toEqual({
      token: "t",
      expirationTimestamp: "2026-01-01T00:00:00Z",
    });
    expect((await server.asked()).pathname).toBe("/api/v1/namespaces/ns/serviceaccounts/muster/token");
    expect(isUnanswered(await failureOf(client.createToken("ns", "muster", request, { signal })))).toBe(true);
  });

  test("go over connections that are kept, and many at once over a bounded number", async () => {
    for (let call = 0; call < 10; call++) {
      server.answers(json({}));
      await client.get(things, "ns", "a", { signal });
    }
    // The next request may be there a moment before the last one's connection is free.
    expect(server.connections).toBeLessThanOrEqual(2);
    const before = server.connections;
    const narrow = connect({ connections: 3 });
    server.answers(...Array.from({ length: 20 }, () => json({})));
    await Promise.all(Array.from({ length: 20 }, () => narrow.get(things, "ns", "a", { signal })));
    expect(server.connections - before).toBe(3);
    await narrow.close();
  });

  test("watches do not take the connections of requests", async () => {
    const narrow = connect({ connections: 1 });
    const abort = new AbortController();
    server.answers(stream([]), stream([]), json({ ok: true }));
    const watches = [1, 2].map(() =>
      narrow.watch(things, { resourceVersion: "1", timeoutSeconds: 1, signal: abort.signal }).next(),
    );
    await server.asked();
    await server.asked();
    expect(await narrow.get(things, "ns", "a", { signal })).toEqual({ ok: true });
    abort.abort(new Error("enough"));
    for (const watch of watches) await expect(watch).rejects.toThrow("enough");
    await narrow.close();
  });
});

test("a signal that lives long gathers nothing from the calls that it served", async () => {
  for (let call = 0; call < 3; call++) {
    server.answers(call === 1 ? refusal(500, "InternalError") : json({}));
    await client.get(things, "ns", "a", { signal }).catch(() => undefined);
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

describe("failures", () => {
  test("a Status becomes an error that names the call, not the object", async () => {
    server.answers(refusal(404, "NotFound"));
    const error = await failureOf(client.get(things, "ns", "a", { signal }));
    expect(isNotFound(error)).toBe(true);
    expect([error.call, error.code, error.reason]).toEqual(["get things", 404, "NotFound"]);
  });

  test("Retry-After in seconds and as a date", async () => {
    server.answers(refusal(429, "TooManyRequests", { "retry-after": "3" }));
    const error = await failureOf(client.get(things, "ns", "a", { signal }));
    expect([isThrottled(error), error.retryAfterMs]).toEqual([true, 3000]);
    server.answers(refusal(503, "ServiceUnavailable", { "retry-after": new Date(Date.now() + 60_000).toUTCString() }));
    expect((await failureOf(client.get(things, "ns", "a", { signal }))).retryAfterMs).toBeGreaterThan(50_000);
  });

  test("a proxy's page keeps its status and is not shown", async () => {
    server.answers((response) => response.writeHead(502).end("<html>eyJhbGciOi</html>"));
    const error = await failureOf(client.get(things, "ns", "a", { signal }));
    expect([error.code, error.message]).toEqual([502, "get things: HTTP 502"]);
  });

  test.each([
    ["no JSON with 200", json(undefined)],
    ["a reset before the answer", reset],
    [
      "a reset within the answer",
      (response) => response.writeHead(200, { "content-length": 9 }).write('{"a"', () => reset(response)),
    ],
  ] satisfies [string, Parameters<ScriptedServer["answers"]>[0]][])(
    "%s leaves the outcome unknown",
    async (_, answer) => {
      server.answers(answer);
      const error = await failureOf(client.patch(things, "ns", "a", {}, { signal }));
      expect([isUnanswered(error), error.reason]).toEqual([true, "NoAnswer"]);
    },
  );

  test("an answer that does not come in time", async () => {
    server.answers(() => undefined);
    const error = await failureOf(client.get(things, "ns", "a", { signal, deadlineMs: 30 }));
    expect(error.message).toBe("get things: no answer within 30 ms");
  });

  test("an answer that does not end in time", async () => {
    server.answers((response) => response.writeHead(200).write("{"));
    expect(isUnanswered(await failureOf(client.get(things, "ns", "a", { signal, deadlineMs: 30 })))).toBe(true);
  });

  test("the deadline counts the wait for a connection, and the late request is not sent", async () => {
    const narrow = connect({ connections: 1 });
    server.answers((response) => setTimeout(() => response.end("{}"), 60), json({ third: true }));
    const first = narrow.get(things, "ns", "first", { signal });
    const second = narrow.get(things, "ns", "second", { signal, deadlineMs: 20 });
    expect(isUnanswered(await failureOf(second))).toBe(true);
    await first;
    expect(await narrow.get(things, "ns", "third", { signal })).toEqual({ third: true });
    expect((await server.asked()).pathname).toMatch(/first$/);
    expect((await server.asked()).pathname).toMatch(/third$/);
    await narrow.close();
  });

  test("an abort throws its reason, before and during the call", async () => {
    const abort = new AbortController();
    server.answers(() => abort.abort(new Error("enough")));
    await expect(client.get(things, "ns", "a", { signal: abort.signal })).rejects.toThrow("enough");
    await expect(client.get(things, "ns", "a", { signal: abort.signal })).rejects.toThrow("enough");
  });

  test("nobody there", async () => {
    await server.close();
    expect(isUnanswered(await failureOf(client.get(things, "ns", "a", { signal })))).toBe(true);
    await server.listen();
  });

  test("no token to be had is an error of its own, and nothing is sent", async () => {
    const without = new KubeClient({
      connection: { server: address, token: () => Promise.reject(new Error("the plugin failed")) },
    });
    const error = await failureOf(without.get(things, "ns", "a", { signal }));
    expect(error.message).toBe("get things: there is no token to send");
    await without.close();
  });

  test("no error holds the token", async () => {
    server.answers(refusal(401, "Unauthorized"), reset);
    for (let call = 0; call < 2; call++) {
      const error = await failureOf(client.get(things, "ns", "a", { signal }));
      const all = [error, error.cause].map((part) => JSON.stringify(part, Object.getOwnPropertyNames(part ?? {})));
      expect(all.join()).not.toContain("secret-token");
    }
  });
});

describe("watch", () => {
  const options = () => ({ resourceVersion: "1", timeoutSeconds: 1, signal });

  test("leaving the iteration closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    server.answers(
      stream([{ type: "BOOKMARK", object: { metadata: {} } }], (response) => response.on("close", closed.resolve)),
    );
    for await (const event of client.watch(things, options())) {
      expect(event.type).toBe("BOOKMARK");
      break;
    }
    await closed.promise;
  });

  test("a refusal, a reset and a line that is no event are errors of the call", async () => {
    server.answers(refusal(410, "Expired"), stream([], reset), stream([7]));
    const errors = [];
    for (let time = 0; time < 3; time++) errors.push(await failureOf(client.watch(things, options()).next()));
    expect(errors.map(({ call, code }) => [call, code])).toEqual([
      ["watch things", 410],
      ["watch things", 0],
      ["watch things", 0],
    ]);
  });
});

test("each call is told once, with its code", async () => {
  server.answers(
    json({}),
    refusal(409, "Conflict"),
    reset,
    stream([], (response) => response.end()),
  );
  await client.get(things, "ns", "a", { signal });
  await failureOf(client.patch(things, "ns", "a", {}, { signal, subresource: "status" }));
  await failureOf(client.get(things, "ns", "a", { signal }));
  await client.watch(things, { resourceVersion: "1", timeoutSeconds: 1, signal }).next();
  expect(observed.map(({ method, call, code }) => [method, call, code])).toEqual([
    ["GET", "get things", "200"],
    ["PATCH", "patch things/status", "409"],
    ["GET", "get things", "<error>"],
    ["GET", "watch things", "200"],
  ]);
});
