import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";

const identity = `${"0".repeat(40)}/${"1".repeat(16)}`;
const claims = { iss: "https://cluster.example", sub: "system:serviceaccount:muster-system:muster", aud: ["wrong"] };
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const token = `${part({ alg: "RS256" })}.${part(claims)}.c2ln`;

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${await listenOnLoopback(server)}`;
}

it("reports every problem, and after a refused exchange what the operator's token says", async () => {
  const platform = await serve((_, response) => {
    const message = "Permission denied: the token may not assume this identity, or the identity does not exist";
    response
      .writeHead(403, { "content-type": "application/json" })
      .end(JSON.stringify({ code: 7, message, details: [] }));
  });
  const operator = await serve((_, response) => void response.writeHead(503).end());
  const folder = mkdtempSync(join(tmpdir(), "muster-check-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "token");
  writeFileSync(file, token, { mode: 0o600 });
  const { code, stderr } = await runCommand([
    "operator",
    "check",
    "--operator-url",
    operator,
    "--platform-url",
    platform,
    "--identity",
    identity,
    "--token-file",
    file,
  ]);
  expect(code).toBe(1);
  const [notReady, refused] = stderr.split("\n");
  expect(notReady).toContain("the operator is not ready");
  expect(refused).toContain(`refused the exchange for identity ${identity}: Permission denied`);
  expect(refused).toMatch(
    /The token in --token-file has the issuer "https:\/\/cluster\.example", the subject "system:serviceaccount:muster-system:muster" and the audience \["wrong"\]: correct --identity, or the claimMatch of that identity on the platform\.$/,
  );
});
