import { createServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { Agent, request } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { type ConnectProxyOptions, startConnectProxy } from "./connect-proxy.testing.ts";
import { tunnelConnector } from "./proxy-tunnel.ts";

const { key, certificate } = selfSignedCertificate({ names: ["platform.example"] });
const target = createServer({ key, cert: certificate }, (incoming, response) => {
  response.end(`${incoming.headers.host} ${incoming.url} ${incoming.headers["proxy-authorization"]}`);
});
let targetPort = 0;
beforeAll(async () => {
  targetPort = await listenOnLoopback(target);
});
afterAll(() => new Promise((done) => target.close(done)));

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Trial extends Partial<ConnectProxyOptions> {
  /** The user name and password in the URL of the proxy. */
  readonly user?: string;
  readonly timeoutMs?: number;
  readonly ca?: string;
}

/** Trusts a certificate like those of the system, until the end of the test. */
function trust(ca: string): void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, ca]);
  closers.push(async () => setDefaultCACertificates(before));
}

async function throughProxy({ user = "", timeoutMs = 5_000, ca = certificate, ...options }: Trial = {}) {
  const proxy = await startConnectProxy({ targetPort, ...options });
  closers.push(proxy.close);
  const [name = "", password = ""] = user.split(":");
  const hostname = options.tls === undefined ? proxy.url.hostname : "localhost";
  const url = Object.assign(new URL(proxy.url), { username: name, password, hostname });
  const agent = new Agent({ connections: 1, connect: tunnelConnector({ proxy: url, timeoutMs, clock, tls: { ca } }) });
  closers.push(() => agent.destroy());
  const get = async (address: string) => {
    const { body } = await request(address, { dispatcher: agent });
    return body.text();
  };
  return { proxy, get };
}

describe("a tunnel", () => {
  it("reaches a target by its name, with its certificate, and is used again", async () => {
    const { proxy, get } = await throughProxy();
    expect(await get("https://platform.example/a")).toBe("platform.example /a undefined");
    expect(await get("https://platform.example/b")).toBe("platform.example /b undefined");
    expect(proxy.tunnels).toEqual(["platform.example:443"]);
  });

  it("sends the user name and the password to the proxy only", async () => {
    const { get } = await throughProxy({ credentials: "me:se/cret", user: "me:se/cret" });
    expect(await get("https://platform.example:8443/")).toBe("platform.example:8443 / undefined");
  });

  it("leads through a proxy with https, whose certificate has the name of the proxy", async () => {
    const tls = selfSignedCertificate({ names: ["localhost"] });
    const untrusted = await throughProxy({ tls });
    await expect(untrusted.get("https://platform.example/")).rejects.toThrow(
      /cannot connect to the proxy https:.*self-signed/,
    );
    trust(tls.certificate);
    const trusted = await throughProxy({ tls });
    expect(await trusted.get("https://platform.example/")).toBe("platform.example / undefined");
    const other = selfSignedCertificate({ names: ["platform.example"] });
    trust(other.certificate);
    const named = await throughProxy({ tls: other });
    await expect(named.get("https://platform.example/")).rejects.toThrow(/cannot connect to the proxy.*localhost/);
  });

  it("verifies the certificate of the target", async () => {
    const { get } = await throughProxy({ ca: selfSignedCertificate().certificate });
    await expect(get("https://platform.example/")).rejects.toThrow(/self-signed certificate|unable to verify/);
    const other = await throughProxy();
    await expect(other.get("https://other.example/")).rejects.toThrow("other.example");
  });

  it.each([
    ["a missing password", { credentials: "me:hidden" }, "requires a user name and a password"],
    ["a wrong password", { credentials: "me:right", user: "me:hidden" }, "does not accept the user name"],
    [
      "a target that it does not allow",
      {
        instead: (_: unknown, socket: { end: (text: string) => void }) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"),
      },
      "refused to connect to platform.example:443 (HTTP 403): check what the proxy allows, or add the host to NO_PROXY",
    ],
    [
      "a closed connection",
      { instead: (_: unknown, socket: { end: () => void }) => socket.end() },
      "closed the connection without a response",
    ],
    [
      "a response that is not HTTP",
      { instead: (_: unknown, socket: { end: (text: string) => void }) => socket.end("SSH-2.0\r\n\r\n") },
      "is not HTTP",
    ],
    [
      "an endless response",
      {
        instead: (_: unknown, socket: { write: (text: string) => void }) =>
          socket.write(`HTTP/1.1 200 OK\r\nx-long: ${"x".repeat(20_000)}`),
      },
      "is too long",
    ],
    [
      "a silent proxy",
      { instead: () => undefined, timeoutMs: 50 },
      "did not connect to platform.example:443 within 50 ms",
    ],
  ])("reports %s, without the password", async (_, trial, message) => {
    const { proxy, get } = await throughProxy(trial);
    const error = await get("https://platform.example/").then(
      () => expect.unreachable(),
      (reason: unknown) => reason as Error,
    );
    expect(error.message).toContain(`the proxy ${proxy.url.origin} `.replace(/ $/, ""));
    expect(error.message).toContain(message);
    expect(`${error.message} ${error.stack}`).not.toMatch(/hidden|aGlkZGVu/);
  });

  it("reports a proxy that is away", async () => {
    const { proxy, get } = await throughProxy();
    await proxy.close();
    await expect(get("https://platform.example/")).rejects.toThrow(/cannot connect to the proxy http:.*ECONNREFUSED/);
  });
});
