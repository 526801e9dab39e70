import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { portOf } from "#test/support/loopback.ts";
import { ApiDocument } from "./api-document.ts";
import { Callers, type Send } from "./callers.ts";
import { Findings } from "./findings.ts";
import { Pool } from "./pool.ts";
import { fuzzRest } from "./rest-fuzzing.ts";

/** An OpenAPI document of one method: a server of a few lines can follow or violate it. */
const responseSchema = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" } },
  additionalProperties: false,
};
const document = new ApiDocument({
  paths: {
    "/things": {
      get: {
        operationId: "get",
        responses: { "200": { content: { "application/json": { schema: responseSchema } } } },
      },
    },
  },
  components: {
    schemas: {
      Error: { type: "object", required: ["code", "message", "details"], properties: { code: { type: "integer" } } },
    },
  },
});

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** The findings in the responses of a server. */
async function findingsOf(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server?.once("listening", resolve));
  return findingsAt(`http://127.0.0.1:${portOf(server)}`);
}

async function findingsAt(url: string): Promise<string> {
  const send: Send = async () => ({ roles: [{ uid: "r" }], uid: "i", token: "secret of an identity" });
  const callers = await Callers.create(send, "secret of the admin", "g", url);
  const findings = new Findings();
  const sources = { document, pool: new Pool("g"), callers };
  await fuzzRest({ sources: sources, url, seed: 1, requests: 64, timeLimit: 500, findings, progress: () => {} });
  return [...findings.lines(1)].join("\n");
}

const json = { "content-type": "application/json" };
const error = (code: number, more: object = {}) =>
  JSON.stringify({
    code,
    message: "m",
    details: [
      { "@type": "x/google.rpc.ErrorInfo", reason: "R", domain: "d" },
      { "@type": "x/google.rpc.ResourceInfo" },
    ],
    ...more,
  });
/** Follows the contract, for the path in the document and for all others. */
const correct: RequestListener = ({ method, url = "" }, response) => {
  const isKnown = method === "GET" && url.replace(/\?.*$/s, "") === "/things";
  response.writeHead(isKnown ? 200 : 404, json).end(isKnown ? '{"name":"n"}' : error(5));
};

it("finds nothing in correct responses, except for those that Node sends by itself", async () => {
  const found = await findingsOf(correct);
  // Node's own responses to malformed requests have no body.
  expect(found.replace(/^.*status (400|417|431), content-type "".*\n.*$/gm, "").trim()).toBe("");
});

it.each<[string, RequestListener, string]>([
  ["status 500", (_, response) => response.writeHead(500, json).end(error(13)), "code 13"],
  [
    "status 503 with the code of another status",
    (_, response) => response.writeHead(503, json).end(error(5)),
    "code 5 with status 503",
  ],
  [
    "a body that violates its schema",
    (_, response) => response.writeHead(200, json).end('{"name":1}'),
    'Expected "string"',
  ],
  ["an unknown field", (_, response) => response.writeHead(200, json).end('{"name":"n","x":1}'), "x"],
  ["a body that is not JSON", (_, response) => response.writeHead(200, json).end('{"name":'), "the body is not JSON"],
  [
    "an error that violates its schema",
    (_, response) => response.writeHead(404, json).end("{}"),
    "does not have required property",
  ],
  [
    "an error without details",
    (_, response) => response.writeHead(404, json).end(error(5, { details: [] })),
    "missing ErrorInfo",
  ],
  [
    "401 without a challenge",
    (_, response) => response.writeHead(401, json).end(error(16)),
    "status 401 without www-authenticate",
  ],
  ["a missing response", () => {}, "no response within"],
  ["a closed connection", (request) => request.socket.destroy(), "the connection closed without a response"],
  ["a redirect", (_, response) => response.writeHead(302, { location: "/" }).end(), "status 302"],
])("finds %s", { timeout: 60_000 }, async (_, listener, problem) => {
  expect(await findingsOf(listener)).toContain(problem);
});

it("finds a malformed HTTP response", async () => {
  const tcp = createTcpServer((socket) => socket.on("error", () => {}).end("HTTP/9 nonsense\r\n\r\n"));
  tcp.listen(0, "127.0.0.1");
  await new Promise((resolve) => tcp.once("listening", resolve));
  expect(await findingsAt(`http://127.0.0.1:${portOf(tcp)}`)).toContain("malformed HTTP response");
  tcp.close();
});

it("reports a failed request as a shell command without secrets", async () => {
  const found = await findingsOf((_, response) => response.writeHead(500, json).end(error(13)));
  expect(found).toMatch(/curl -i .*\$ADMIN_TOKEN.*\/things/);
  expect(found).not.toContain("secret of");
});
