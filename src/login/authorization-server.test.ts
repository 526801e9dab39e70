import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#src/time/clock.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { AuthorizationServer } from "./authorization-server.ts";

const server = createServer((_, response) => response.end(JSON.stringify(document)));
let document: object = {};
let authUrl = "";
beforeAll(async () => {
  authUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`;
});
afterAll(() => void server.close());

/** Reads the document of a platform that differs from a correct one in `changed`. @returns what is wrong with it */
async function discover(changed: object): Promise<string | undefined> {
  document = {
    issuer: authUrl,
    authorization_endpoint: `${authUrl}/authorize`,
    token_endpoint: `${authUrl}/token`,
    device_authorization_endpoint: `${authUrl}/device`,
    revocation_endpoint: `${authUrl}/revoke`,
    ...changed,
  };
  const { signal } = new AbortController();
  const found = await AuthorizationServer.discover({ authUrl, env: {}, clock: systemClock }, signal).catch(
    (error: Error) => error.message,
  );
  return typeof found === "string" ? found : undefined;
}

describe("the discovery document of a platform", () => {
  it("is accepted if all endpoints are addresses of the platform", async () => {
    expect(await discover({})).toBeUndefined();
  });

  it.each(["authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "revocation_endpoint"])(
    "must not name another host, scheme, port, person or fragment as its %s, which would get codes and tokens",
    async (name) => {
      const { port } = new URL(authUrl);
      for (const elsewhere of [
        `http://localhost:${port}/`,
        `https://127.0.0.1:${port}/`,
        "http://127.0.0.1/",
        `http://somebody@127.0.0.1:${port}/`,
        `${authUrl}/#fragment`,
        "/token",
        1,
      ])
        expect(await discover({ [name]: elsewhere }), String(elsewhere)).toBe(
          `the ${name} in the discovery document of ${authUrl} is not an address of ${authUrl}`,
        );
      expect(await discover({ [name]: undefined })).toContain(`its discovery document has no ${name}`);
    },
  );

  it("must be that of the platform that was given", async () => {
    expect(await discover({ issuer: "https://elsewhere.example" })).toContain(
      'calls itself "https://elsewhere.example"',
    );
  });
});
