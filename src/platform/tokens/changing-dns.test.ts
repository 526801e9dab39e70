import { createServer, type Server } from "node:https";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { FakeNameServer } from "#src/platform/names/fake-name-server.testing.ts";
import { NameResolver } from "#src/platform/names/name-resolver.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { portOf } from "#test/support/loopback.ts";

/** In these tests a loopback address counts as public, so that no packet leaves the machine. */
vi.mock("./public-address.ts", () => ({ isPublicAddress: (address: string) => address === "127.0.0.2" }));

// Other files of the worker use the module with the real check, before and after this one.
vi.resetModules();
const { fetchDocument } = await import("./fetch-document.ts");
afterAll(() => void vi.resetModules());

const host = "issuer.test";
/** The addresses of the host: one entry per lookup, the last one for all further lookups. */
const lookups: (readonly string[])[] = [];
const lookupCount = () => nameServer.queries.filter((query) => query === `A ${host}`).length;
let nameServer: FakeNameServer;

const { key, certificate } = selfSignedCertificate({ names: [host] });
const reached = { public: 0, private: 0 };
let servers: Server[];
let port = 0;

async function serve(address: string, name: keyof typeof reached): Promise<Server> {
  const server = createServer({ key, cert: certificate }, (_, response) => response.end(name));
  server.on("connection", () => reached[name]++);
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  port = portOf(server);
  return server;
}

beforeAll(async () => {
  servers = [await serve("127.0.0.2", "public"), await serve("127.0.0.1", "private")];
  nameServer = await FakeNameServer.start(() => ({ a: lookups[Math.min(lookupCount(), lookups.length) - 1] ?? [] }));
});
afterAll(() => {
  servers.forEach((server) => server.close());
  nameServer.stop();
});
afterEach(() => {
  lookups.length = nameServer.queries.length = reached.public = reached.private = 0;
});

const publicAddresses = ["127.0.0.2"];
const privateAddresses = ["127.0.0.1"];
const get = () =>
  fetchDocument(new NameResolver({ servers: [nameServer.address] }), `https://${host}:${port}/`, {
    privateAddresses: false,
    shares: [],
    ca: certificate,
    timeLimit: 2_000,
  });

describe("DNS rebinding", () => {
  it("connects to the address that was checked, even if the name resolves to another one afterwards", async () => {
    lookups.push(publicAddresses, privateAddresses);
    expect(await get()).toBe("public");
    expect(lookupCount()).toBe(1);
    expect(reached).toEqual({ public: 1, private: 0 });
  });

  it("checks the address again for each request", async () => {
    lookups.push(publicAddresses, privateAddresses);
    await get();
    await expect(get()).rejects.toThrowError("does not have a public address");
    expect(reached.private).toBe(0);
  });

  it.each([
    ["public first", [...publicAddresses, ...privateAddresses]],
    ["private first", [...privateAddresses, ...publicAddresses]],
  ])("rejects a name with a private address among its addresses (%s)", async (_, addresses) => {
    lookups.push(addresses);
    await expect(get()).rejects.toThrowError("does not have a public address");
    expect(reached).toEqual({ public: 0, private: 0 });
  });
});
