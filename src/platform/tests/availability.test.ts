import { once } from "node:events";
import { createServer } from "node:https";
import { connect as connectHttp2 } from "node:http2";
import { type AddressInfo, connect, type Socket } from "node:net";
import { generateKeyPair, SignJWT } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { RunningPlatform, type Client } from "./running-platform.testing.ts";
import { selfSignedCertificate } from "./self-signed.testing.ts";

let platform: RunningPlatform;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await platform.stop();
});

/** Sends the head of a POST, and the beginning of its body once the platform has received the head. @returns the response */
async function halfSentPost(
  token: string | undefined,
  body = "{",
): Promise<{ socket: Socket; received: () => string }> {
  const { port, hostname } = new URL(platform.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on("error", () => {});
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const authorization = token === undefined ? "" : `Authorization: Bearer ${token}\r\n`;
  socket.write(
    `POST /iam/v2beta1/groups/${platform.root} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: 900000\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, "data");
  socket.write(body);
  return { socket, received: () => text };
}

const statuses = (client: Client, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await client.get("/iam/v2beta1/groups")).status));

describe("Before authentication", () => {
  it("requests whose body is not complete take no slot", async () => {
    platform = await RunningPlatform.start({}, { maximumInFlight: 5 });
    for (let count = 0; count < 10; count++) await halfSentPost(count % 2 === 0 ? undefined : platform.admin.token);
    expect(await statuses(platform.admin, 1)).toEqual([200]);
  });

  it("incomplete gRPC requests take no slot", async () => {
    platform = await RunningPlatform.start({}, { maximumInFlight: 2 });
    const session = connectHttp2(platform.url);
    for (let count = 0; count < 5; count++) {
      const stream = session.request({
        ":method": "POST",
        ":path": "/muster.platform.iam.v2beta1.GroupsService/ListGroups",
        "content-type": "application/grpc",
        te: "trailers",
      });
      stream.on("error", () => {});
      stream.write(Buffer.from([0]));
    }
    await new Promise((resolve) => session.ping(resolve));
    expect(await statuses(platform.admin, 1)).toEqual([200]);
    session.destroy();
  });
});

describe("Fairness", () => {
  it("a tenant whose issuer hangs does not take the slots of other tenants", async () => {
    const { key, certificate } = selfSignedCertificate();
    const asked = Promise.withResolvers<void>();
    const hanging = createServer({ key, cert: certificate }, () => asked.resolve());
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    const issuer = `https://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
    const trusted = { issuer, ca: certificate, jwksUrl: undefined };
    platform = await RunningPlatform.start({ trustedIssuers: [trusted] }, { maximumInFlight: 10 });
    const tenant = async (name: string) => (await platform.admin.ok("POST", "/iam/v2beta1/groups/", { name })).uid;
    const [busy, other] = [await tenant("busy"), await tenant("other")];
    const bystander = await platform.callerWith("viewer", other);
    const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/identities/${busy}`, {
      name: "hanging",
      claimMatch: { issuer, subject: "s" },
    });
    const { privateKey } = await generateKeyPair("ES256");
    const token = await new SignJWT({ iss: issuer, sub: "s", aud: "127.0.0.1" })
      .setProtectedHeader({ alg: "ES256", kid: "1" })
      .setExpirationTime("1h")
      .sign(privateKey);
    const exchanges = Array.from({ length: 40 }, () => platform.exchange(token, uid));
    await asked.promise;
    for (let count = 0; count < 40; count++) expect(await statuses(bystander, 1)).toEqual([200]);
    hanging.closeAllConnections();
    hanging.close();
    const codes = (await Promise.all(exchanges)).map(({ status }) => status);
    expect(codes).toContain(429);
    expect(codes.filter((status) => status !== 429).length).toBeGreaterThan(3);
  });
});
