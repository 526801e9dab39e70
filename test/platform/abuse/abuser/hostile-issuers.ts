import { writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";

/** How an issuer responds to a request for its configuration or keys. */
export type Behavior = "good" | "hang" | "trickle" | "huge" | "padded";

/** Issuers with padded keys: more than the platform's cache should hold. */
const paddedIssuers = 48;
/** Slightly less than the largest key set that the platform accepts. */
const paddingBytes = 250 * 1024;

/** The only person who can log in at an issuer, and the client of the platform there. */
export const [person, loginClient] = ["person", "platform"];

/** Issuers on loopback, of which some never respond, or respond with much. One server serves all, under different paths. */
export class HostileIssuers {
  readonly certificate: string;
  readonly #base: string;
  readonly #privateKey: CryptoKey;

  private constructor(base: string, certificate: string, privateKey: CryptoKey) {
    this.#base = base;
    this.certificate = certificate;
    this.#privateKey = privateKey;
  }

  /** @param certificate the file that receives the certificate of the server */
  static async start(certificate: string): Promise<HostileIssuers> {
    const { key, certificate: cert } = selfSignedCertificate();
    await writeFile(certificate, cert);
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const jwk = { ...(await exportJWK(publicKey)), kid: "hostile", alg: "ES256" };
    const server = createServer({ key, cert }, (request, response) => {
      const [, name = "", document] = /^\/([^/]+)\/(.*)$/.exec(request.url ?? "") ?? [];
      const issuer = `${base}/${name}`;
      if (document === "token") return void sendIdToken(issuer, privateKey, request, response);
      respond(behaviorOf(name), response, document === "keys" ? keysOf(name, jwk) : configurationOf(issuer));
    });
    const base = `https://127.0.0.1:${await listenOnLoopback(server)}`;
    return new HostileIssuers(base, certificate, privateKey);
  }

  get urls(): readonly string[] {
    return [this.url("good"), this.url("hang"), this.url("trickle"), this.url("huge"), ...this.padded];
  }

  get padded(): readonly string[] {
    return Array.from({ length: paddedIssuers }, (_, n) => `${this.url("padded")}-${n}`);
  }

  url(behavior: Behavior): string {
    return `${this.#base}/${behavior}`;
  }

  token(issuer: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
    return signed(this.#privateKey, issuer, claims);
  }
}

function signed(key: CryptoKey, issuer: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT({ iss: issuer, ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "hostile" })
    .setExpirationTime("1h")
    .sign(key);
}

/** Responds with an ID token of the only person of an issuer. The code is the nonce of the login. */
async function sendIdToken(
  issuer: string,
  key: CryptoKey,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const nonce = new URLSearchParams(await text(request)).get("code");
  const claims = { sub: person, aud: loginClient, iat: Math.floor(Date.now() / 1_000), nonce };
  response.end(JSON.stringify({ id_token: await signed(key, issuer, claims) }));
}

function behaviorOf(name: string): Behavior {
  return name.replace(/-\d+$/, "") as Behavior;
}

function configurationOf(issuer: string): object {
  const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
  return { issuer, jwks_uri: `${issuer}/keys`, ...endpoints };
}

function keysOf(name: string, jwk: JWK): object {
  if (behaviorOf(name) !== "padded") return { keys: [jwk] };
  return { keys: [{ ...jwk, padding: "x".repeat(paddingBytes) }] };
}

function respond(behavior: Behavior, response: ServerResponse, document: object): void {
  switch (behavior) {
    case "hang":
      return;
    case "trickle": {
      const timer = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(timer));
      return;
    }
    case "huge": {
      const chunk = " ".repeat(1024 * 1024);
      const fill = () => {
        while (response.write(chunk)) continue;
      };
      response.on("drain", fill);
      return fill();
    }
    case "good":
    case "padded":
      response.end(JSON.stringify(document));
  }
}
