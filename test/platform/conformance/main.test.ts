import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TlsFiles } from "#src/platform/server/tls-files.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { MutantPlatform } from "./mutant-platform.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command. @param onLine receives each line of its output, and can interrupt the process */
async function command(args: readonly string[], onLine?: (line: string, interrupt: () => void) => void): Promise<Exit> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  createInterface(child.stdout).on("line", (line) => {
    stdout += `${line}\n`;
    onLine?.(line, () => child.kill("SIGINT"));
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

describe("npm run conformance", () => {
  let platform: RunningPlatform;
  let folder: string;
  let tokenFile: string;
  let wrongFile: string;
  beforeAll(async () => {
    platform = await RunningPlatform.start();
    folder = await mkdtemp(join(tmpdir(), "muster-conformance-"));
    tokenFile = join(folder, "token");
    wrongFile = join(folder, "wrong-token");
    await writeFile(wrongFile, "nonsense");
    await writeFile(tokenFile, `${platform.admin.token}\n`);
  });
  afterAll(async () => {
    await platform.stop();
    await rm(folder, { recursive: true });
  });

  const groups = async ({ admin }: RunningPlatform) => (await admin.ok("GET", "/iam/v2beta1/groups")).groups;

  it("exits with 0 if all cases pass, and writes each result as JSON", async () => {
    const json = join(folder, "results.json");
    const grpc = platform.url.replace("http://", "");
    const args = ["--url", platform.url, "--token-file", tokenFile, "--grpc", grpc, "--case", "4.7", "--json", json];
    const { code, stdout, stderr } = await command(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    const passed = lines.filter((line) => line.startsWith("  ok ")).length;
    expect(lines[0]).toBe("4.7 Partial update");
    expect(lines.at(-1)).toBe(`${passed} passed, 0 failed, 0 skipped`);
    const results = JSON.parse(await readFile(json, "utf8")) as { passed: number; cases: { kind: string }[] };
    expect(results).toMatchObject({ url: platform.url, passed, failed: 0, skipped: 0 });
    expect(results.cases.map(({ kind }) => kind)).toEqual(results.cases.map(() => "passed"));
    expect(await groups(platform)).toHaveLength(1);
  });

  it("uses TLS over both transports, in the group of --root", async () => {
    const { key, certificate } = selfSignedCertificate();
    const files = { certificate: join(folder, "tls.crt"), key: join(folder, "tls.key") };
    await writeFile(files.certificate, certificate);
    await writeFile(files.key, key);
    const tls = new TlsFiles({ ...files, interval: 1_000 }, pino({ level: "silent" }));
    const separate = await RunningPlatform.start({}, { tls });
    const ownToken = join(folder, "tls-token");
    await writeFile(ownToken, separate.admin.token ?? "");
    const grpc = separate.url.replace("https://", "");
    const args = ["--url", separate.url, "--token-file", ownToken, "--ca", files.certificate, "--grpc", grpc];
    const { code, stdout, stderr } = await command([...args, "--root", separate.root, "--case", "4.7"]);
    await separate.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^  ok {3}4\.7\.1: of a group \(gRPC\)/m);
  });

  it("exits with 1 if a case fails, and prints the requirement, the calls, and the actual and expected value", async () => {
    const mutant = await MutantPlatform.start(platform.url, {
      changeResponse: (response) => {
        response.text = response.text.replace(/"skipped":\d+/, '"skipped":9');
      },
    });
    const { code, stdout } = await command([
      "--url",
      mutant.url,
      "--token-file",
      tokenFile,
      "--case",
      "2.list.skipped",
    ]);
    await mutant.stop();
    expect(code).toBe(1);
    expect(stdout).toContain("FAIL 2.list.skipped (REST)");
    expect(stdout).toMatch(/requirement: +`skipped`: number of results skipped/);
    expect(stdout).toMatch(/request: +GET \/iam\/v2beta1\/groups\?uidp\.children_of=/);
    expect(stdout).toMatch(/response: +HTTP 200\n +\{"groups"/);
    expect(stdout).toMatch(/actual: +9\n +expected: +0\n/);
    expect(stdout).toContain("SKIPPED 1: --grpc is not set\n0 passed, 1 failed, 1 skipped");
  });

  it("deletes everything that it created on SIGINT, and reports how many cases did not run", async () => {
    const slow = await RunningPlatform.start({}, { latency: 10 });
    const slowToken = join(folder, "slow-token");
    await writeFile(slowToken, slow.admin.token ?? "");
    const args = ["--url", slow.url, "--token-file", slowToken];
    const { code, stdout, stderr } = await command(args, (line, interrupt) => {
      if (line.startsWith("  ok ")) interrupt();
    });
    expect(code).toBe(1);
    expect(stderr).toBe("conformance: SIGINT: deleting everything that the run created\n");
    expect(stdout).toMatch(/INTERRUPTED: \d+ cases did not run\n/);
    expect(await groups(slow)).toHaveLength(1);
    await slow.stop();
  });

  it("writes no token, even if cases about tokens fail", async () => {
    const json = join(folder, "failures.json");
    // Every exchange fails, and its response, which contains a token, is in the report.
    const mutant = await MutantPlatform.start(platform.url, {
      changeResponse: (response, call) => {
        if (call.includes("/sts/") && response.status === 200) response.status = 500;
      },
    });
    const args = ["--url", mutant.url, "--token-file", tokenFile, "--case", "5.", "--json", json];
    const { stdout, stderr } = await command(args);
    await mutant.stop();
    expect(stdout).toContain("FAIL 5.5 (REST)");
    for (const text of [stdout, stderr, await readFile(json, "utf8")]) {
      expect(text).not.toContain(platform.admin.token);
      expect(text).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
    }
  });

  it.each([
    [
      "every mistake in the settings",
      2,
      () => ["--url", "x", "--parallel", "0", "--nope"],
      /--nope.*\n.*--url.*\n.*--parallel/,
    ],
    ["missing settings", 2, () => ["--grpc", "127.0.0.1:1"], /--url is required.*\n.*--token-file is required/],
    ["a missing token file", 2, () => ["--url", platform.url, "--token-file", "nope"], /--token-file: .*nope/],
    [
      "a file that is not a token",
      2,
      () => ["--url", platform.url, "--token-file", main],
      /--token-file: the file must contain exactly one token/,
    ],
    ["a wrong token", 1, () => ["--url", platform.url, "--token-file", wrongFile], /Check --token-file/],
    [
      "a platform that refuses connections",
      1,
      () => ["--url", "http://127.0.0.1:1", "--token-file", tokenFile],
      /ECONNREFUSED/,
    ],
    [
      "a pattern that matches nothing",
      2,
      () => ["--url", platform.url, "--token-file", tokenFile, "--case", "zz"],
      /--case: no case matches "zz"/,
    ],
  ])("reports %s and exits with %i", async (_, expected, args, message) => {
    const { code, stderr } = await command(args());
    expect(code).toBe(expected);
    expect(stderr).toMatch(message);
  });

  it("lists cases and writes the table without a platform", async () => {
    const table = join(folder, "table.md");
    expect(await command(["--list", "--case", "4.7.3"])).toEqual({
      code: 0,
      stdout: "4.7 Partial update\n  4.7.3 (REST)\n  4.7.3 (gRPC)\n",
      stderr: "",
    });
    expect(await command(["--table", table])).toMatchObject({ code: 0 });
    expect(await readFile(table, "utf8")).toContain(
      "| 4.7.3 | The response holds the resource after the update. | REST, gRPC |",
    );
  });
});
