import { generateKeyPairSync, type KeyObject } from "node:crypto";
import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import { SignJWT } from "jose";
import type { TrustedIssuer } from "#src/platform/tokens/trusted-issuer.ts";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { selfSignedCertificate } from "./self-signed.testing.ts";

/** An issuer on loopback whose keys are discovered over https. */
export class DiscoveredIssuer {
  readonly #server: Server;
  readonly #certificate: string;
  readonly #privateKey: KeyObject;
  readonly url: string;
  /** The keys that it serves; at first the one that signs. */
  keys: readonly object[];
  /** Replaces its responses. */
  respond: RequestListener | undefined;
  /** The number of requests that it received. */
  requests = 0;

  private constructor(server: Server, hostname: string, certificate: string) {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#server = server;
    this.#certificate = certificate;
    this.#privateKey = privateKey;
    this.url = `https://${hostname}:${portOf(server)}`;
    this.keys = [{ ...publicKey.export({ format: "jwk" }), kid: "k" }];
    server.on("request", (request, response) => {
      this.requests++;
      if (this.respond !== undefined) return this.respond(request, response);
      const configuration = { issuer: this.url, jwks_uri: `${this.url}/keys` };
      return response.end(JSON.stringify(request.url === "/keys" ? { keys: this.keys } : configuration));
    });
  }

  /** @param hostname 127.0.0.1 or a name for it */
  static async start(hostname = "127.0.0.1"): Promise<DiscoveredIssuer> {
    const { key, certificate } = selfSignedCertificate({ names: [hostname] });
    const server = createServer({ key, cert: certificate });
    await listenOnLoopback(server);
    return new DiscoveredIssuer(server, hostname, certificate);
  }

  /** The setting with which a platform may fetch its keys. */
  get trusted(): TrustedIssuer {
    return { issuer: this.url, ca: this.#certificate, jwksUrl: undefined };
  }

  /** A token that is valid for ten minutes. @param header in addition to the algorithm; by default the id of its key */
  sign(claims: Readonly<Record<string, unknown>>, header: object = { kid: "k" }): Promise<string> {
    return new SignJWT({ iss: this.url, aud: "127.0.0.1", ...claims })
      .setProtectedHeader({ alg: "ES256", ...header })
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(this.#privateKey);
  }

  stop(): void {
    void closeServer(this.#server);
  }
}
