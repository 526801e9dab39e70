import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { ApiDocument } from "./api-document.ts";
import { Callers, type Send } from "./callers.ts";
import { Findings } from "./findings.ts";
import { Pool } from "./pool.ts";
import { fuzzRest } from "./rest-fuzzing.ts";

/** A document of one method, so that a server of a few lines can be right or wrong about it. */
const answer = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" } },
  additionalProperties: false,
};
const document = new ApiDocument({
  paths: {
    "/things": {
      get: { operationId: "get", responses: { "200": { content: { "application/json": { schema: answer } } } } },
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

/** What is found in the answers of a server, each mistake once. */
async function findingsOf(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server?.once("listening", resolve));
  return findingsAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

async function findingsAt(url: string): Promise<string> {
  const send: Send = async () => ({ roles: [{ uid: "r" }], uid: "i", token: "secret of an identity" });
  const callers = await Callers.make(send, "secret of the admin", "g", url);
  const findings = new Findings();
  const ground = { document, pool: new Pool("g"), callers };
  await fuzzRest({ ground, url, seed: 1, requests: 64, timeLimit: 500, findings, progress: () => {} });
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
/** Right for what is in the document, and for what is not. */
const right: RequestListener = ({ method, url = "" }, response) => {
  const isKnown = method === "GET" && url.replace(/\?.*$/s, "") === "/things";
  response.writeHead(isKnown ? 200 : 404, json).end(isKnown ? '{"name":"n"}' : error(5));
};

it("finds nothing where nothing is wrong, but for what Node answers by itself", async () => {
  const found = await findingsOf(right);
  // Node's own answers to what is no request have no body.
  expect(found.replace(/^.*status (400|417|431), content-type "".*\n.*$/gm, "").trim()).toBe("");
});

it.each<[string, RequestListener, string]>([
  ["status 500", (_, response) => response.writeHead(500, json).end(error(13)), "code 13"],
  [
    "status 503 with a code that is another's",
    (_, response) => response.writeHead(503, json).end(error(5)),
    "code 5 with status 503",
  ],
  [
    "a body that is off its schema",
    (_, response) => response.writeHead(200, json).end('{"name":1}'),
    'Expected "string"',
  ],
  ["a field that is not in the schema", (_, response) => response.writeHead(200, json).end('{"name":"n","x":1}'), "x"],
  ["a body that is no JSON", (_, response) => response.writeHead(200, json).end('{"name":'), "the body is no JSON"],
  [
    "an error without its shape",
    (_, response) => response.writeHead(404, json).end("{}"),
    "does not have required property",
  ],
  [
    "an error without details",
    (_, response) => response.writeHead(404, json).end(error(5, { details: [] })),
    "has no ErrorInfo",
  ],
  [
    "401 without a challenge",
    (_, response) => response.writeHead(401, json).end(error(16)),
    "401 without www-authenticate",
  ],
  ["no answer", () => {}, "no answer within"],
  ["a connection that ends", (request) => request.socket.destroy(), "the connection ended without an answer"],
  ["a redirect", (_, response) => response.writeHead(302, { location: "/" }).end(), "status 302"],
])("finds %s", { timeout: 60_000 }, async (_, listener, told) => {
  expect(await findingsOf(listener)).toContain(told);
});

it("finds bytes that are no HTTP", async () => {
  const tcp = createTcpServer((socket) => socket.on("error", () => {}).end("HTTP/9 nonsense\r\n\r\n"));
  tcp.listen(0, "127.0.0.1");
  await new Promise((resolve) => tcp.once("listening", resolve));
  expect(await findingsAt(`http://127.0.0.1:${(tcp.address() as AddressInfo).port}`)).toContain("is no answer of HTTP");
  tcp.close();
});

it("shows a request that failed as a line for a shell, and no secret", async () => {
  const found = await findingsOf((_, response) => response.writeHead(500, json).end(error(13)));
  expect(found).toMatch(/curl -i .*\$ADMIN_TOKEN.*\/things/);
  expect(found).not.toContain("secret of");
});
