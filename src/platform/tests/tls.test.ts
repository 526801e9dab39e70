import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { GroupsService } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { TlsFiles } from "../server/tls-files.ts";
import { RunningPlatform } from "./running-platform.testing.ts";
import { selfSignedCertificate } from "./self-signed.testing.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-tls-"));
const paths = { certificate: join(folder, "tls.crt"), key: join(folder, "tls.key") };
const first = selfSignedCertificate();
const log = pino({ level: "silent" });
let platform: RunningPlatform;

beforeAll(async () => {
  write(first);
  const tls = new TlsFiles({ ...paths, interval: 20 }, log);
  platform = await RunningPlatform.start({}, { tls });
});
afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true });
});

function write({ certificate, key }: { readonly certificate: string; readonly key: string }): void {
  writeFileSync(paths.certificate, certificate);
  writeFileSync(paths.key, key);
}

/** Opens a connection that trusts only this certificate. */
async function connected(certificate: string, protocols: string[]): Promise<TLSSocket> {
  const { hostname, port } = new URL(platform.url);
  const socket = connect({ host: hostname, port: Number(port), ca: certificate, ALPNProtocols: protocols });
  await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  return socket;
}

const responseTo = (socket: TLSSocket) =>
  new Promise<string>((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    socket.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
  });

describe("one port over TLS", () => {
  it("exports when the certificate expires", async () => {
    const { validToDate } = new X509Certificate(first.certificate);
    const text = await new Promise<string>((resolve, reject) => {
      request(`${platform.url}/metrics`, { ca: first.certificate }, (response) => {
        response
          .setEncoding("utf8")
          .toArray()
          .then((chunks) => resolve(chunks.join("")), reject);
      })
        .once("error", reject)
        .end();
    });
    expect(text).toContain(
      `muster_platform_server_certificate_expiry_timestamp_seconds ${validToDate.getTime() / 1000}\n`,
    );
  });

  it("serves the protocol that ALPN selects: gRPC over HTTP/2, REST over HTTP/1.1", async () => {
    const transport = createGrpcTransport({ baseUrl: platform.url, nodeOptions: { ca: first.certificate } });
    await expect(createClient(GroupsService, transport).listGroups({})).rejects.toMatchObject({
      code: Code.Unauthenticated,
    });
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${platform.admin.token}` };
      const options = { ca: first.certificate, headers };
      request(`${platform.url}/iam/v2beta1/groups`, options, (response) => resolve(response.resume().statusCode))
        .once("error", reject)
        .end();
    });
    expect(status).toBe(200);
  });

  it("reads changed files again without closing connections", async () => {
    const before = await connected(first.certificate, ["http/1.1"]);
    expect(await responseTo(before)).toContain("200 OK");
    const second = selfSignedCertificate();
    write(second);
    await vi.waitFor(async () => (await connected(second.certificate, ["h2"])).destroy(), { timeout: 5_000 });
    await expect(connected(first.certificate, ["h2"])).rejects.toThrow();
    expect(await responseTo(before)).toContain("200 OK");

    // The key does not belong to the certificate: the previous pair stays in use.
    writeFileSync(paths.key, first.key);
    await vi.waitFor(() => expect(warnings).toContain("the new certificate is invalid; the old one stays in use"));
    (await connected(second.certificate, ["h2"])).destroy();
    write(first);
    await vi.waitFor(async () => (await connected(first.certificate, ["h2"])).destroy(), { timeout: 5_000 });
    before.destroy();
  });

  it("does not start with files that do not belong together", () => {
    const other = join(folder, "other.key");
    writeFileSync(other, selfSignedCertificate().key);
    expect(() => new TlsFiles({ ...paths, key: other }, log)).toThrowError("are not a certificate and its key");
    expect(() => new TlsFiles({ ...paths, key: join(folder, "missing") }, log)).toThrowError("ENOENT");
    for (const [file, text] of [
      ["key", ""],
      ["key", "no key"],
      ["certificate", ""],
      ["certificate", first.key],
    ] as const) {
      const wrong = join(folder, "wrong");
      writeFileSync(wrong, text);
      expect(() => new TlsFiles({ ...paths, [file]: wrong }, log)).toThrowError("are not a certificate and its key");
    }
  });
});

const warnings: string[] = [];
vi.spyOn(log, "warn").mockImplementation(((_: object, message: string) => warnings.push(message)) as never);
