import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { Gateway } from "#src/commands/access/gateway.testing.ts";
import { readTokenClaims } from "#src/login/token-claims.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import { readingCapabilities } from "./reading-capabilities.ts";

const account = "system:serviceaccount:muster-system:muster-operator";
let platform: RunningPlatform;
let gateway: Gateway;
let folder = "";
let subjectToken = "";
/** The variables of the operator's pod. */
let env: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-pod-"));
  gateway = await Gateway.to("http://127.0.0.1");
  platform = await RunningPlatform.start({ baseUrl: gateway.url, authUrl: gateway.url });
  gateway.target = platform.url;
  const { admin, root } = platform;
  const identity = await platform.makeIdentity(root, "muster", ["127.0.0.1"], account);
  await admin.bind(root, identity, await admin.role("owner"));
  subjectToken = await platform.subjectToken(identity, {}, account);
  const tokenFile = join(folder, "subject-token");
  writeFileSync(tokenFile, subjectToken);
  env = {
    KUBERNETES_SERVICE_HOST: "192.0.2.1",
    HOME: folder,
    MUSTER_PLATFORM_URL: gateway.url,
    MUSTER_IDENTITY: identity,
    MUSTER_TOKEN_FILE: tokenFile,
  };
});
afterAll(async () => {
  await gateway.close();
  await platform.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  gateway.calls.length = 0;
  gateway.tokens.length = 0;
});

/** Runs a command in the pod: the first call exchanges the token, and all others read with what that returned. @returns their tokens */
async function readsAsOperator(args: readonly string[]): Promise<readonly string[]> {
  const { code, stderr } = await runCommand(args, { env });
  expect([code, stderr]).toEqual([0, ""]);
  const [exchange, ...reads] = gateway.calls.map((call) => call.split("?", 1)[0] ?? "");
  expect(exchange).toBe("GET /sts/exchange");
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.filter((call) => !call.startsWith("GET /iam/v2beta1/"))).toEqual([]);
  const [sent, ...tokens] = gateway.tokens;
  expect(sent).toBe(subjectToken);
  expect(tokens).not.toContain(subjectToken);
  return tokens;
}

it.each([
  ["who-can", "repo.create", "--group", "root"],
  ["of", "muster"],
  ["explain", "muster", "repo.create", "--group", "root"],
  ["report", "--group", "root"],
])("reads as the operator, with a token that can only read: muster access %s", async (...args) => {
  for (const token of await readsAsOperator(["access", ...args, "--no-cluster"]))
    expect(new Set(readTokenClaims(token)?.capabilities)).toEqual(new Set(readingCapabilities));
});

// What an import does not see counts as absent only if nothing limits the token.
it("reads as the operator, with a token without limits: muster import", async () => {
  const tokens = await readsAsOperator(["import", "--group", platform.root, "--dir", join(folder, "imported")]);
  expect(tokens.map((token) => readTokenClaims(token)?.isNarrowed)).not.toContain(true);
});

it("asks for the audit log where it is needed, and for nothing else that is not a list", async () => {
  const run = await runCommand(["access", "unused", "--days", "1", "--no-cluster"], { env });
  expect(run.stderr).toContain("ask again tomorrow");
  expect(new Set(readTokenClaims(gateway.tokens.at(-1) ?? "")?.capabilities)).toEqual(
    new Set([...readingCapabilities, "audit.list"]),
  );
  expect(gateway.calls.every((call) => call.startsWith("GET "))).toBe(true);
});
