import { inspect } from "node:util";
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#src/time/clock.ts";
import { KubeClient } from "./client.ts";
import { isNotFound, isThrottled, KubeError } from "./errors.ts";
import { json, errorStatus, long, reset, ScriptedServer, stream } from "./scripted-server.testing.ts";
import type { ObservedCall } from "./transport.ts";

const widgets = { group: "iam.muster.dev", version: "v1beta1", plural: "widgets", kind: "Widget" };
const spaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace" };

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
    clock: systemClock,
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

/** Makes the server respond to the next request with a description of that request. */
function echo(): void {
  server.respondsWith((response, url, request) => {
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
    () => client.get(widgets, "ns", "a", { signal }),
    { method: "GET", path: `${root}/namespaces/ns/widgets/a`, authorization },
  ],
  [
    "get of a cluster-scoped resource of the core group",
    () => client.get(spaces, undefined, "kube-system", { signal }),
    { method: "GET", path: "/api/v1/namespaces/kube-system", authorization },
  ],
  [
    "create",
    () => client.create(widgets, "ns", { spec: 1 }, { signal }),
    {
      method: "POST",
      path: `${root}/namespaces/ns/widgets`,
      type: "application/json",
      authorization,
      body: { spec: 1 },
    },
  ],
  [
    "replace",
    () => client.replace(widgets, "ns", "a", { spec: 2 }, { signal }),
    {
      method: "PUT",
      path: `${root}/namespaces/ns/widgets/a`,
      type: "application/json",
      authorization,
      body: { spec: 2 },
    },
  ],
  [
    "patch of the status",
    () => client.patch(widgets, "ns", "a", { status: 1 }, { signal, subresource: "status" }),
    {
      method: "PATCH",
      path: `${root}/namespaces/ns/widgets/a/status`,
      type: "application/merge-patch+json",
      authorization,
      body: { status: 1 },
    },
  ],
  [
    "dry run of a patch",
    () => client.patch(widgets, "ns", "a", { data: 1 }, { signal, dryRun: true }),
    {
      method: "PATCH",
      path: `${root}/namespaces/ns/widgets/a?dryRun=All`,
      type: "application/merge-patch+json",
      authorization,
      body: { data: 1 },
    },
  ],
  [
    "a name cannot change the path",
    () => client.get(widgets, "ns", "../../x?y", { signal }),
    { method: "GET", path: `${root}/namespaces/ns/widgets/..%2F..%2Fx%3Fy`, authorization },
  ],
];

describe("requests", () => {
  test.each(calls)("%s", async (_, call, expected) => {
    echo();
    expect(await call()).toEqual(expected);
  });

  test("delete sends its preconditions", async () => {
    let body = "";
    server.respondsWith((response, url, request) => {
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => json({ kind: "Status" })(response, url, request));
    });
    await client.delete(widgets, "ns", "a", { signal, uid: "u" });
    expect(JSON.parse(body)).toMatchObject({ kind: "DeleteOptions", preconditions: { uid: "u" } });
  });

  test.each(["", ".", ".."])("the name %j is rejected without a request", async (name) => {
    await expect(client.get(widgets, "ns", name, { signal })).rejects.toThrow("is not a valid Kubernetes name");
  });

  test("createToken returns the token of the response, and fails if there is none", async () => {
    server.respondsWith(
      json({ status: { token: "t", expirationTimestamp: "2026-01-01T00:00:00Z" } }, 201),
      json({ status: {} }, 201),
    );
    const request = { audiences: ["a"], expirationSeconds: 600 };
    expect(await client.createToken("ns", "muster", request, { signal })).toEqual({
      token: "t",
      expirationTimestamp: "2026-01-01T00:00:00Z",
    });
    expect((await server.nextRequest()).pathname).toBe("/api/v1/namespaces/ns/serviceaccounts/muster/token");
    expect((await failureOf(client.createToken("ns", "muster", request, { signal }))).code).toBe(0);
  });

  test("use persistent connections, and a bounded number of them", async () => {
    for (let call = 0; call < 10; call++) {
      server.respondsWith(json({}));
      await client.get(widgets, "ns", "a", { signal });
    }
    // The next request may arrive just before the last one's connection is free.
    expect(server.connections).toBeLessThanOrEqual(2);
    const before = server.connections;
    const bounded = connect({ connections: 3 });
    server.respondsWith(...Array.from({ length: 20 }, () => json({})));
    await Promise.all(Array.from({ length: 20 }, () => bounded.get(widgets, "ns", "a", { signal })));
    expect(server.connections - before).toBe(3);
    await bounded.close();
  });

  test("do not wait for the connections of watches", async () => {
    const bounded = connect({ connections: 1 });
    const abort = new AbortController();
    server.respondsWith(stream([]), stream([]), json({ ok: true }));
    const watches = [1, 2].map(() =>
      bounded.watch(widgets, { resourceVersion: "1", timeoutSeconds: 1, signal: abort.signal }).next(),
    );
    await server.nextRequest();
    await server.nextRequest();
    expect(await bounded.get(widgets, "ns", "a", { signal })).toEqual({ ok: true });
    abort.abort(new Error("aborted by the test"));
    for (const watch of watches) await expect(watch).rejects.toThrow("aborted by the test");
    await bounded.close();
  });
});

test("a call leaves no listener on its signal", async () => {
  for (let call = 0; call < 3; call++) {
    server.respondsWith(call === 1 ? errorStatus(500, "InternalError") : json({}));
    await client.get(widgets, "ns", "a", { signal }).catch(() => undefined);
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

describe("failures", () => {
  test("a Status is converted to an error that names the call, not the object", async () => {
    server.respondsWith(errorStatus(404, "NotFound"));
    const error = await failureOf(client.get(widgets, "ns", "a", { signal }));
    expect(isNotFound(error)).toBe(true);
    expect([error.call, error.code, error.reason]).toEqual(["get widgets", 404, "NotFound"]);
  });

  test("Retry-After may be in seconds or a date", async () => {
    server.respondsWith(errorStatus(429, "TooManyRequests", { "retry-after": "3" }));
    const error = await failureOf(client.get(widgets, "ns", "a", { signal }));
    expect([isThrottled(error), error.retryAfterMs]).toEqual([true, 3000]);
    server.respondsWith(
      errorStatus(503, "ServiceUnavailable", { "retry-after": new Date(Date.now() + 60_000).toUTCString() }),
    );
    expect((await failureOf(client.get(widgets, "ns", "a", { signal }))).retryAfterMs).toBeGreaterThan(50_000);
  });

  test("a proxy's error page keeps its status, and its text is not in the message", async () => {
    server.respondsWith((response) => response.writeHead(502).end("<html>eyJhbGciOi</html>"));
    const error = await failureOf(client.get(widgets, "ns", "a", { signal }));
    expect([error.code, error.message]).toEqual([502, "get widgets: HTTP 502"]);
  });

  test("a body that is not JSON is not repeated by the error, nor by its cause: it may be a Secret or a token", async () => {
    server.respondsWith((response) => response.writeHead(200).end('{"code": planted}'));
    const error = await failureOf(client.get(widgets, "ns", "a", { signal }));
    expect(inspect(error)).not.toContain("planted");
  });

  test("a response of 1 GiB is not read to its end, nor is one that refuses a watch", async () => {
    const mebibyte = "a".repeat(2 ** 20);
    const gibibyte = function* () {
      for (let sent = 0; sent < 1024; sent += 1) yield mebibyte;
    };
    server.respondsWith(long(gibibyte), long(gibibyte, 500));
    const error = await failureOf(client.get(widgets, "ns", "a", { signal }));
    expect([error.message, error.reason]).toEqual([
      "get widgets: the response is larger than 64 MiB",
      "ResponseTooLarge",
    ]);
    const watch = client.watch(widgets, { resourceVersion: "1", timeoutSeconds: 1, signal });
    expect((await failureOf(watch[Symbol.asyncIterator]().next())).message).toBe("watch widgets: HTTP 500");
  });

  test("a message of the API server that is as long as an object is cut", async () => {
    server.respondsWith(json({ code: 422, message: "a".repeat(2 ** 20) }, 422));
    expect((await failureOf(client.get(widgets, "ns", "a", { signal }))).message).toHaveLength(32_768 + 13);
  });

  test.each([
    ["a body that is not JSON", json(undefined)],
    ["a reset before the response", reset],
    [
      "a reset in the middle of the response",
      (response) => response.writeHead(200, { "content-length": 9 }).write('{"a"', () => reset(response)),
    ],
  ] satisfies [string, Parameters<ScriptedServer["respondsWith"]>[0]][])(
    "%s is reported as a missing response",
    async (_, responder) => {
      server.respondsWith(responder);
      const error = await failureOf(client.patch(widgets, "ns", "a", {}, { signal }));
      expect([error.code, error.reason]).toEqual([0, "NoResponse"]);
    },
  );

  test("a response that does not start in time is reported as missing", async () => {
    server.respondsWith(() => undefined);
    const error = await failureOf(client.get(widgets, "ns", "a", { signal, deadlineMs: 30 }));
    expect(error.message).toBe("get widgets: no response within 30 ms");
  });

  test("a response that does not end in time is reported as missing", async () => {
    server.respondsWith((response) => response.writeHead(200).write("{"));
    expect((await failureOf(client.get(widgets, "ns", "a", { signal, deadlineMs: 30 }))).code).toBe(0);
  });

  test("the deadline includes the wait for a connection; a request that misses it there is not sent", async () => {
    const bounded = connect({ connections: 1 });
    server.respondsWith((response) => setTimeout(() => response.end("{}"), 60), json({ third: true }));
    const first = bounded.get(widgets, "ns", "first", { signal });
    const second = bounded.get(widgets, "ns", "second", { signal, deadlineMs: 20 });
    expect((await failureOf(second)).code).toBe(0);
    await first;
    expect(await bounded.get(widgets, "ns", "third", { signal })).toEqual({ third: true });
    expect((await server.nextRequest()).pathname).toMatch(/first$/);
    expect((await server.nextRequest()).pathname).toMatch(/third$/);
    await bounded.close();
  });

  test("an abort before or during the call throws its reason", async () => {
    const abort = new AbortController();
    server.respondsWith(() => abort.abort(new Error("aborted by the test")));
    await expect(client.get(widgets, "ns", "a", { signal: abort.signal })).rejects.toThrow("aborted by the test");
    await expect(client.get(widgets, "ns", "a", { signal: abort.signal })).rejects.toThrow("aborted by the test");
  });

  test("a refused connection is reported as a missing response", async () => {
    await server.close();
    expect((await failureOf(client.get(widgets, "ns", "a", { signal }))).code).toBe(0);
    await server.listen();
  });

  test("a call fails without a request if there is no token", async () => {
    const withoutToken = new KubeClient({
      connection: { server: address, token: () => Promise.reject(new Error("the plugin failed")) },
      clock: systemClock,
    });
    const error = await failureOf(withoutToken.get(widgets, "ns", "a", { signal }));
    expect(error.message).toBe("get widgets: cannot get a token for the request");
    await withoutToken.close();
  });

  test.each<[string, (of: KubeClient) => Promise<unknown>]>([
    ["a request", (of) => of.get(widgets, "ns", "a", { signal })],
    ["a watch", (of) => of.watch(widgets, { resourceVersion: "1", timeoutSeconds: 1, signal }).next()],
  ])("%s that is rejected with 401 lets the next one use another token", async (_, call) => {
    let token = "before";
    const connection = { server: address, token: async () => token, rejectToken: () => void (token = "after") };
    const renewed = new KubeClient({ connection, clock: systemClock });
    server.respondsWith(errorStatus(403, "Forbidden"), errorStatus(401, "Unauthorized"));
    expect((await failureOf(call(renewed))).code).toBe(403);
    expect(token).toBe("before");
    expect((await failureOf(call(renewed))).code).toBe(401);
    expect(token).toBe("after");
    await renewed.close();
  });

  test("no error contains the token", async () => {
    server.respondsWith(errorStatus(401, "Unauthorized"), reset);
    for (let call = 0; call < 2; call++) {
      const error = await failureOf(client.get(widgets, "ns", "a", { signal }));
      const all = [error, error.cause].map((part) => JSON.stringify(part, Object.getOwnPropertyNames(part ?? {})));
      expect(all.join()).not.toContain("secret-token");
    }
  });
});

describe("watch", () => {
  const options = () => ({ resourceVersion: "1", timeoutSeconds: 1, signal });

  test("leaving the iteration closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    server.respondsWith(
      stream([{ type: "BOOKMARK", object: { metadata: {} } }], (response) => response.on("close", closed.resolve)),
    );
    for await (const event of client.watch(widgets, options())) {
      expect(event.type).toBe("BOOKMARK");
      break;
    }
    await closed.promise;
  });

  test("an error status, a reset and a line that is not an event throw", async () => {
    server.respondsWith(errorStatus(410, "Expired"), stream([], reset), stream([7]));
    const errors = [];
    for (let time = 0; time < 3; time++) errors.push(await failureOf(client.watch(widgets, options()).next()));
    expect(errors.map(({ call, code }) => [call, code])).toEqual([
      ["watch widgets", 410],
      ["watch widgets", 0],
      ["watch widgets", 0],
    ]);
  });
});

test("observes each call once, with its code", async () => {
  server.respondsWith(
    json({}),
    errorStatus(409, "Conflict"),
    reset,
    stream([], (response) => response.end()),
  );
  await client.get(widgets, "ns", "a", { signal });
  await failureOf(client.patch(widgets, "ns", "a", {}, { signal, subresource: "status" }));
  await failureOf(client.get(widgets, "ns", "a", { signal }));
  await client.watch(widgets, { resourceVersion: "1", timeoutSeconds: 1, signal }).next();
  expect(observed.map(({ method, call, code }) => [method, call, code])).toEqual([
    ["GET", "get widgets", "200"],
    ["PATCH", "patch widgets/status", "409"],
    ["GET", "get widgets", "<error>"],
    ["GET", "watch widgets", "200"],
  ]);
});
