import { createServer } from "node:https";
import { afterEach, describe, expect, it } from "vitest";
import { startConnectProxy } from "#src/http/connect-proxy.testing.ts";
import { Proxies } from "#src/http/proxies.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { HttpTransport } from "./transport.ts";

const { key, certificate } = selfSignedCertificate({ names: ["platform.example", "auth.example"] });
const { signal } = new AbortController();
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** A platform that is reached by its name through the proxy alone, and the environment that names the proxy. */
async function setUp(env: Readonly<Record<string, string>> = {}) {
  const platform = createServer({ key, cert: certificate }, (request, response) => {
    response.end(JSON.stringify({ host: request.headers.host, authorization: request.headers.authorization }));
  });
  await listenOnLoopback(platform);
  endings.push(() => new Promise((done) => platform.close(done)));
  const port = portOf(platform);
  const proxy = await startConnectProxy({ targetPort: port, credentials: "me:hidden" });
  endings.push(proxy.close);
  const proxies = await Proxies.fromEnvironment({ HTTPS_PROXY: `http://me:hidden@${proxy.url.host}`, ...env });
  const transport = new HttpTransport({ connections: 2, deadlineMs: 5_000, ca: certificate, proxies, clock });
  endings.push(() => transport.close());
  const get = (origin: string) =>
    transport.send({ name: "get it", method: "GET", origin, path: "/", bearer: "token" }, signal);
  return { port, proxy, get };
}

describe("the platform", () => {
  it("and its token service are called through the proxy of the environment", async () => {
    const { proxy, get } = await setUp();
    expect(await get("https://platform.example")).toEqual({ host: "platform.example", authorization: "Bearer token" });
    expect(await get("https://auth.example:8443")).toMatchObject({ host: "auth.example:8443" });
    expect(proxy.tunnels).toEqual(["platform.example:443", "auth.example:8443"]);
  });

  it("is called directly if NO_PROXY names it", async () => {
    const { port, proxy, get } = await setUp({ NO_PROXY: "platform.example, 127.0.0.0/8" });
    expect(await get(`https://127.0.0.1:${port}`)).toMatchObject({ host: `127.0.0.1:${port}` });
    await expect(get("https://platform.example")).rejects.toThrow(/platform\.example/);
    expect(proxy.tunnels).toEqual([]);
  });

  it("is not reached through a proxy that is away, and the message has no password", async () => {
    const { proxy, get } = await setUp();
    await proxy.close();
    const error = await get("https://platform.example").then(
      () => expect.unreachable(),
      (reason: unknown) => reason as Error,
    );
    expect(error.message).toContain(`cannot connect to the proxy ${proxy.url.origin}`);
    expect(error.message).not.toContain("hidden");
  });
});
