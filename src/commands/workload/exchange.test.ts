import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { Exchanger } from "./exchange.ts";

it("trusts the certificate authorities that are in the file at the time of the exchange", async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-exchange-"));
  const platformCa = join(folder, "ca.crt");
  const [first, second] = [selfSignedCertificate(), selfSignedCertificate()];
  const expiry = new Date(Date.now() + 3_600_000).toISOString();
  const server = createServer({ key: first.key, cert: first.certificate }, (_, response) =>
    response.end(JSON.stringify({ token: "api-token", expiry })),
  );
  try {
    await writeFile(platformCa, first.certificate);
    const authUrl = new URL(`https://localhost:${await listenOnLoopback(server)}`);
    const values = { identity: "a".repeat(40), authUrl, platformCa, subjectTokenFile: "" };
    const exchanger = await Exchanger.create(values, "https://platform.example.com", {});
    const subject = { text: "subject", fingerprint: "f", claims: undefined };
    const exchange = () => exchanger.exchange(subject, new AbortController().signal);
    expect((await exchange()).value).toBe("api-token");

    server.setSecureContext({ key: second.key, cert: second.certificate });
    await expect(exchange()).rejects.toThrow("self-signed certificate");
    await writeFile(platformCa, second.certificate);
    expect((await exchange()).value).toBe("api-token");
    await rm(platformCa);
    await expect(exchange()).rejects.toThrow(`--platform-ca: the file ${platformCa} does not exist`);
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});
