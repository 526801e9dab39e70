import { createHmac, hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { createServer, type Server } from "node:https";
import type { StsEndpoint } from "#src/platform/tokens/aws-sts.ts";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { selfSignedCertificate } from "./self-signed.testing.ts";

const host = "sts.amazonaws.com";
/** Not for AWS: this endpoint has another name. */
const { key, certificate } = selfSignedCertificate({ names: ["localhost"] });

export const principal = {
  Account: "123456789012",
  Arn: "arn:aws:sts::123456789012:assumed-role/builder/session",
  UserId: "AROAEXAMPLE:session",
};
const secret = "secret access key";

/** The credentials of the principal, as programs read them from the environment. */
export const awsCredentials = {
  AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
  AWS_SECRET_ACCESS_KEY: secret,
  AWS_SESSION_TOKEN: "session token",
};

/** The signature of a request to GetCallerIdentity, as SigV4 defines it. */
function signatureOf(headers: Readonly<Record<string, unknown>>, signed: readonly string[], date: string): string {
  const scope = `${date.slice(0, 8)}/us-east-1/sts/aws4_request`;
  const canonical = [
    "POST",
    "/",
    "Action=GetCallerIdentity&Version=2011-06-15",
    ...signed.map((name) => `${name}:${String(headers[name])}`),
    "",
    signed.join(";"),
    hash("sha256", ""),
  ].join("\n");
  const signingKey = scope
    .split("/")
    .reduce((derived: string | Buffer, part) => createHmac("sha256", derived).update(part).digest(), `AWS4${secret}`);
  const text = ["AWS4-HMAC-SHA256", date, scope, hash("sha256", canonical)].join("\n");
  return createHmac("sha256", signingKey).update(text).digest("hex");
}

interface Signing {
  /** When it is signed, in milliseconds since the epoch. */
  readonly at: number;
  /** The headers that are signed in addition to host and date. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that are not signed. */
  readonly unsigned?: Readonly<Record<string, string>>;
}

/** The lines of a signed request. */
export function signedRequest({ at, headers, unsigned = {} }: Signing): string[] {
  const date = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const all: Record<string, string> = { host, "x-amz-date": date };
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
  const signed = Object.keys(all).toSorted((a, b) => (a < b ? -1 : 1));
  const authorization = [
    `AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/${date.slice(0, 8)}/us-east-1/sts/aws4_request`,
    `SignedHeaders=${signed.join(";")}`,
    `Signature=${signatureOf(all, signed, date)}`,
  ].join(", ");
  const fields = { ...all, accept: "application/json", ...unsigned, authorization };
  return [
    "POST /?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1",
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
  ];
}

/** The bearer token of the lines of a request. */
export const tokenOf = (lines: readonly string[]) => Buffer.from(`${lines.join("\r\n")}\r\n\r\n`).toString("base64url");

/** AWS STS with one principal. It verifies signatures as AWS does. */
export class FakeSts {
  readonly #server: Server;
  /** The headers of the requests that it received. */
  readonly received: IncomingHttpHeaders[] = [];
  /** The principal that it answers with. */
  principal: object = principal;

  private constructor(server: Server) {
    this.#server = server;
    server.on("secureConnection", ({ servername }) => this.serverNames.push(servername ?? false));
    server.on("request", ({ method, url, headers }, response) => {
      this.received.push(headers);
      const [, names = "", signature] =
        /SignedHeaders=([^,]*), Signature=(.*)$/.exec(headers.authorization ?? "") ?? [];
      const expected = signatureOf(headers, names.split(";"), String(headers["x-amz-date"]));
      const isValid = method === "POST" && url === "/?Action=GetCallerIdentity&Version=2011-06-15";
      if (!isValid || signature !== expected) return response.writeHead(403).end("SignatureDoesNotMatch");
      const body = { GetCallerIdentityResponse: { GetCallerIdentityResult: this.principal, ResponseMetadata: {} } };
      return response.end(JSON.stringify(body));
    });
  }

  /** The names for which clients asked during TLS handshakes (SNI); false for none. */
  readonly serverNames: (string | false)[] = [];

  static async start(): Promise<FakeSts> {
    const server = createServer({ key, cert: certificate });
    await listenOnLoopback(server);
    return new FakeSts(server);
  }

  get endpoint(): StsEndpoint {
    return this.endpointAt("127.0.0.1");
  }

  /** @param hostname 127.0.0.1 or a name for it */
  endpointAt(hostname: string): StsEndpoint {
    const port = portOf(this.#server);
    return { url: `https://${hostname}:${port}`, ca: certificate, privateAddresses: true };
  }

  stop(): void {
    void closeServer(this.#server);
  }
}
