import { createServer, type Server } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { closeServer, listenOnLoopback } from "#test/support/loopback.ts";
import { NameResolver } from "../names/name-resolver.ts";
import { fetchDocument, RefusedFetchError } from "./fetch-document.ts";

const { key, certificate } = selfSignedCertificate();
let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  server = createServer({ key, cert: certificate }, (request, response) => {
    if (request.url === "/redirect") response.writeHead(302, { location: "/ok" }).end();
    else if (request.url === "/missing") response.writeHead(404).end("secret text of the issuer");
    else if (request.url === "/large") response.end("x".repeat(300 * 1024));
    else if (request.url === "/slow") response.write("{");
    else response.end('{"ok":true}');
  });
  server.on("connection", () => connections++);
  port = await listenOnLoopback(server);
});
afterAll(() => closeServer(server));

/** The same for every address, so that it does not show what there is in the platform's network. */
const unreachable = { message: "is unreachable, or does not have a public address", transient: true };
const trusted = { privateAddresses: true, shares: [], ca: certificate };
const names = new NameResolver();

describe("fetchDocument", () => {
  it("fetches a document over https", async () => {
    expect(await fetchDocument(names, `https://127.0.0.1:${port}/ok`, trusted)).toBe('{"ok":true}');
  });

  it.each([
    ["/redirect", "responded with a redirect", false],
    ["/missing", "responded with HTTP status 404", true],
    ["/large", "sent a document that is larger than 256 KiB", false],
    ["/slow", "did not respond in time", true],
  ])("rejects %s: it %s", async (path, message, transient) => {
    const failure = fetchDocument(names, `https://127.0.0.1:${port}${path}`, {
      ...trusted,
      ...(path === "/slow" ? { timeLimit: 300 } : {}),
    });
    await expect(failure).rejects.toMatchObject({ name: "FetchError", message, transient });
  });

  it("is refused if whoever needs the document has used up its share of the lookups of names", async () => {
    const usedUp = new NameResolver({ maximumLookups: 0 });
    const failure = fetchDocument(usedUp, "https://issuer.example.com", trusted);
    await expect(failure).rejects.toBeInstanceOf(RefusedFetchError);
    await expect(failure).rejects.toMatchObject({
      message: expect.stringContaining("too many names"),
      transient: true,
    });
  });

  it("rejects http", async () => {
    await expect(fetchDocument(names, `http://127.0.0.1:${port}/ok`, trusted)).rejects.toThrowError(
      "is not an https URL",
    );
  });

  it("rejects a certificate that is not trusted", async () => {
    await expect(
      fetchDocument(names, `https://127.0.0.1:${port}/ok`, { privateAddresses: true, shares: [], ca: undefined }),
    ).rejects.toMatchObject(unreachable);
  });

  it.each(["127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]"])(
    "rejects the private address %s before it connects",
    async (host) => {
      const before = connections;
      await expect(
        fetchDocument(names, `https://${host}:${port}/ok`, { privateAddresses: false, shares: [], ca: certificate }),
      ).rejects.toMatchObject(unreachable);
      expect(connections).toBe(before);
    },
  );
});
