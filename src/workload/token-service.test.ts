import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { afterEach, describe, expect, it } from "vitest";
import { startConnectProxy } from "#src/http/connect-proxy.testing.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { systemClock } from "#src/time/clock.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { closeServer, listenOnLoopback } from "#test/support/loopback.ts";
import type { ExchangeFailure } from "./exchange-failure.ts";
import { type ApiToken, TokenService, type TokenServiceOptions } from "./token-service.ts";
import type { SubjectToken } from "./subject-token.ts";

const identity = `${"a".repeat(40)}/${"b".repeat(16)}`;
const audience = "https://platform.example.com";
const subject: SubjectToken = {
  text: "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJpIn0.c2lnbmF0dXJlLW9mLXRoZS1wb2Q",
  fingerprint: "f",
  claims: { issuer: '"https://issuer.example"', subject: '"system:serviceaccount:shop:cart"', audience: '["auth"]' },
};
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const issued = (changes: object = {}) => JSON.stringify({ token: "api-token", expiry: inAnHour(), ...changes });
const error = (code: number, message: string) => JSON.stringify({ code, message, details: [] });

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    void closeServer(server);
  }
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  return listenOnLoopback(server);
}

/** Starts a token service. @returns its address */
async function tokenService(respond: RequestListener): Promise<URL> {
  return new URL(`http://127.0.0.1:${await listen(createHttpServer(respond))}`);
}

const responding = (status: number, body: string, headers: Record<string, string> = {}) =>
  tokenService((_, response) => response.writeHead(status, headers).end(body));

function exchange(authUrl: URL, options: Partial<TokenServiceOptions> = {}, signal = new AbortController().signal) {
  const service = new TokenService({ authUrl, identity, audience, env: {}, clock: systemClock, ...options });
  return service.exchange(subject, signal);
}

/** The failure of an exchange. No failure may contain the subject token. */
async function failure(exchanged: Promise<ApiToken>): Promise<ExchangeFailure> {
  const caught: unknown = await exchanged.catch((thrown: unknown) => thrown);
  expect(caught).toMatchObject({ name: "ExchangeFailure" });
  const { message } = caught as ExchangeFailure;
  expect(message).not.toContain(subject.text.split(".")[2]);
  expect(message).not.toMatch(/[\n\r]/);
  return caught as ExchangeFailure;
}

describe("TokenService", () => {
  it.each(["", "/", "/sts/exchange", "/sts/exchange/"])(
    "asks the token service at an address that ends in %j",
    async (path) => {
      const requests: string[] = [];
      const origin = await tokenService((request, response) => {
        requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
        response.end(issued({ expiry: "2090-01-01T00:00:00.000Z", refreshToken: "refresh" }));
      });
      const expiresAt = Date.parse("2090-01-01T00:00:00.000Z");
      expect(await exchange(new URL(path, origin))).toEqual({ value: "api-token", expiresAt });
      const query = new URLSearchParams({ aud: audience, identity }).toString();
      expect(requests).toEqual([`GET /sts/exchange?${query} Bearer ${subject.text}`]);
    },
  );

  it("keeps the path of the token service's address", async () => {
    let path: string | undefined = "";
    const origin = await tokenService((request, response) => {
      path = request.url;
      response.end(issued());
    });
    await exchange(new URL("/auth/", origin));
    expect(path).toMatch(/^\/auth\/sts\/exchange\?/);
  });

  it("says what the token claims, and what a re-created Identity requires, if the exchange is refused", async () => {
    const message = "the token may not assume this identity, or the identity does not exist";
    const refused = await failure(exchange(await responding(403, error(7, message))));
    expect(refused.refused).toBe(true);
    expect(refused.message).toBe(
      `the token service refused the exchange for the identity ${identity}: ${message} (PERMISSION_DENIED). ` +
        `The workload's own token has the issuer "https://issuer.example", the subject "system:serviceaccount:shop:cart" ` +
        `and the audience ["auth"]: compare them, and the claims in spec.claimMatch.claims, with status.exchange of the Identity. ` +
        "An Identity that was created again has another uid: a pod that still has the old one in MUSTER_IDENTITY must be re-created",
    );
  });

  it.each([
    ["an invalid audience", 400, error(3, "Invalid argument: aud")],
    ["an invalid token", 401, error(16, "the token has expired")],
  ])("is refused for %s", async (_, status, body) => {
    expect(await failure(exchange(await responding(status, body)))).toMatchObject({ refused: true, retryAfterMs: 0 });
  });

  it.each<[string, number, string, RegExp]>([
    ["an unavailable platform", 503, error(14, "the store is away"), /returned HTTP 503: the store is away$/],
    [
      "the error page of a proxy",
      403,
      "<html>forbidden</html>",
      /HTTP 403: the response is not an error of the platform/,
    ],
    ["an error whose code contradicts its status", 500, error(7, "no"), /returned HTTP 500: no$/],
    ["a redirect", 302, "", /HTTP 302: redirects are not followed/],
    ["a body that is not JSON", 200, "<html>", /does not contain a token$/],
    ["a body that is null", 200, "null", /does not contain a token$/],
    ["no token", 200, issued({ token: "" }), /does not contain a token$/],
    ["a token with a line break", 200, issued({ token: "a\nb" }), /does not contain a token$/],
    ["a token that is too long", 200, issued({ token: "a".repeat(70_000) }), /does not contain a token$/],
    ["no expiry", 200, JSON.stringify({ token: "a" }), /does not say when the token expires$/],
    [
      "an expired token",
      200,
      issued({ expiry: "2020-01-01T00:00:00Z" }),
      /expired at 2020-01-01T00:00:00.000Z; .*check the clocks/,
    ],
    ["a body that is too large", 200, " ".repeat(300_000), /larger than 262144 bytes$/],
  ])("fails, names the token service, and can be repeated, after %s", async (_, status, body, message) => {
    const service = await responding(status, body, { location: "http://127.0.0.1:1/" });
    const failed = await failure(exchange(service));
    expect(failed.message).toMatch(message);
    expect(failed.message).toContain(`the token service at ${service.origin} `);
    expect(failed.refused).toBe(false);
  });

  it("passes on the pause that the token service asks for", async () => {
    const busy = await failure(exchange(await responding(429, error(8, "too many calls"), { "retry-after": "7" })));
    expect(busy).toMatchObject({ refused: false, retryAfterMs: 7_000 });
  });

  it("shows another machine's text in one line, without tokens", async () => {
    const text = `bad\n\u001b[31m${subject.text}`;
    expect((await failure(exchange(await responding(403, error(7, text))))).message).toContain("bad [31m[redacted] (");
  });

  it("names the address that refuses connections", async () => {
    const { message } = await failure(exchange(new URL("http://127.0.0.1:1")));
    expect(message).toMatch(/^the token service at http:\/\/127.0.0.1:1 is not available: .*ECONNREFUSED/);
  });

  it("fails if the connection ends within the response", async () => {
    const cut = await tokenService((_, response) => {
      response.writeHead(200, { "content-length": "1000" }).write("{");
      setImmediate(() => response.destroy());
    });
    expect((await failure(exchange(cut))).message).toMatch(/is not available: /);
  });

  it("fails after 10 s without a complete response", async () => {
    const arrived = Promise.withResolvers<void>();
    const clock = new ManualClock();
    const hanging = exchange(
      await tokenService((_, response) => {
        response.writeHead(200).write("{");
        arrived.resolve();
      }),
      { clock },
    );
    await arrived.promise;
    const failed = failure(hanging);
    await clock.advance(10_000);
    expect((await failed).message).toMatch(/is not available: no response within 10 s$/);
    expect(clock.pending).toBe(0);
  });

  it("ends at once when it is aborted", async () => {
    const stop = new AbortController();
    const hanging = exchange(await tokenService(() => stop.abort(new Error("stopped by SIGTERM"))), {}, stop.signal);
    await expect(hanging).rejects.toThrow("stopped by SIGTERM");
  });

  describe("over TLS", () => {
    const tls = selfSignedCertificate({ names: ["localhost", "auth.example"] });
    const secureService = () =>
      listen(createHttpsServer({ key: tls.key, cert: tls.certificate }, (_, response) => response.end(issued())));

    it("trusts the authorities of --platform-ca, and without it those of Node", async () => {
      const authUrl = new URL(`https://localhost:${await secureService()}`);
      expect((await exchange(authUrl, { ca: tls.certificate })).value).toBe("api-token");
      expect((await failure(exchange(authUrl))).message).toMatch(
        /self-signed certificate; name the certificate authority with --platform-ca/,
      );
    });

    it("connects through HTTPS_PROXY, except to the hosts in NO_PROXY", async () => {
      const targetPort = await secureService();
      const credentials = "pod:se/cret";
      const proxy = await startConnectProxy({ targetPort, credentials });
      const withUser = (password: string) =>
        Object.assign(new URL(proxy.url), { username: "pod", password: encodeURIComponent(password) }).href;
      const authUrl = new URL("https://auth.example");
      const through = (HTTPS_PROXY: string, NO_PROXY = "127.0.0.0/8,.svc") =>
        exchange(authUrl, { env: { HTTPS_PROXY, NO_PROXY }, ca: tls.certificate });
      try {
        expect((await through(withUser("se/cret"))).value).toBe("api-token");
        expect(proxy.tunnels).toEqual(["auth.example:443"]);
        const rejected = await failure(through(withUser("wrong")));
        expect(rejected.message).toContain("407");
        expect(rejected.message).not.toContain("wrong");
        // The name does not exist.
        expect((await failure(through(withUser("se/cret"), "auth.example"))).message).toMatch(/ENOTFOUND|EAI_AGAIN/);
        expect(
          () => new TokenService({ authUrl, identity, audience, env: { HTTPS_PROXY: "ftp://x" }, clock: systemClock }),
        ).toThrowError(/HTTPS_PROXY/);
      } finally {
        await proxy.close();
      }
    });
  });
});
