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
import { RunningPlatform } from "#src/platform/tests/running-platform.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.ts";
import { BentPlatform } from "./bent-platform.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command. @param onLine is told of each line, and may end the process */
async function command(args: readonly string[], onLine?: (line: string, end: () => void) => void): Promise<Ended> {
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

  it("ends with 0 where all cases pass, and tells programs of each", async () => {
    const json = join(folder, "results.json");
    const grpc = platform.url.replace("http://", "");
    const args = ["--url", platform.url, "--token-file", tokenFile, "--grpc", grpc, "--case", "4.7", "--json", json];
    const { code, stdout, stderr } = await command(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    const passed = lines.filter((line) => line.startsWith("  ok ")).length;
    expect(lines[0]).toBe("4.7 Partial update");
    expect(lines.at(-1)).toBe(`${passed} passed, 0 failed, 0 skipped`);
    const told = JSON.parse(await readFile(json, "utf8")) as { passed: number; cases: { kind: string }[] };
    expect(told).toMatchObject({ url: platform.url, passed, failed: 0, skipped: 0 });
    expect(told.cases.map(({ kind }) => kind)).toEqual(told.cases.map(() => "passed"));
    expect(await groups(platform)).toHaveLength(1);
  });

  it("speaks TLS to both, in a group that it is told", async () => {
    const { key, certificate } = selfSignedCertificate();
    const files = { certificate: join(folder, "tls.crt"), key: join(folder, "tls.key") };
    await writeFile(files.certificate, certificate);
    await writeFile(files.key, key);
    const tls = new TlsFiles({ ...files, interval: 1_000 }, pino({ level: "silent" }));
    const own = await RunningPlatform.start({}, { tls });
    const ownToken = join(folder, "tls-token");
    await writeFile(ownToken, own.admin.token ?? "");
    const grpc = own.url.replace("https://", "");
    const args = ["--url", own.url, "--token-file", ownToken, "--ca", files.certificate, "--grpc", grpc];
    const { code, stdout, stderr } = await command([...args, "--root", own.root, "--case", "4.7"]);
    await own.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^  ok {3}4\.7\.1: of a group \(gRPC\)/m);
  });

  it("ends with 1 where one fails, with the sentence, what was sent, what came and what was expected", async () => {
    const bent = await BentPlatform.start(platform.url, {
      answered: (answer) => {
        answer.text = answer.text.replace(/"skipped":\d+/, '"skipped":9');
      },
    });
    const { code, stdout } = await command(["--url", bent.url, "--token-file", tokenFile, "--case", "2.list.skipped"]);
    await bent.stop();
    expect(code).toBe(1);
    expect(stdout).toContain("FAIL 2.list.skipped (REST)");
    expect(stdout).toMatch(/sentence: +`skipped`: number of results skipped/);
    expect(stdout).toMatch(/sent: +GET \/iam\/v2beta1\/groups\?uidp\.children_of=/);
    expect(stdout).toMatch(/came: +HTTP 200\n +\{"groups"/);
    expect(stdout).toMatch(/got: +9\n +expected: +0\n/);
    expect(stdout).toContain("SKIPPED 1: no --grpc was given\n0 passed, 1 failed, 1 skipped");
  });

  it("deletes what it made where it is interrupted, and tells that not all was tried", async () => {
    const slow = await RunningPlatform.start({}, { latency: 10 });
    const slowToken = join(folder, "slow-token");
    await writeFile(slowToken, slow.admin.token ?? "");
    const args = ["--url", slow.url, "--token-file", slowToken];
    const { code, stdout, stderr } = await command(args, (line, end) => {
      if (line.startsWith("  ok ")) end();
    });
    expect(code).toBe(1);
    expect(stderr).toBe("conformance: SIGINT: deleting what was made\n");
    expect(stdout).toMatch(/ENDED EARLY: \d+ cases did not run\n/);
    expect(await groups(slow)).toHaveLength(1);
    await slow.stop();
  });

  it("has no token in what it writes, also where cases about tokens fail", async () => {
    const json = join(folder, "failures.json");
    // Everything that makes or takes a token fails, with what came in the report.
    const bent = await BentPlatform.start(platform.url, {
      answered: (answer, call) => {
        if (call.includes("/sts/") && answer.status === 200) answer.status = 500;
      },
    });
    const args = ["--url", bent.url, "--token-file", tokenFile, "--case", "5.", "--json", json];
    const { stdout, stderr } = await command(args);
    await bent.stop();
    expect(stdout).toContain("FAIL 5.5 (REST)");
    for (const text of [stdout, stderr, await readFile(json, "utf8")]) {
      expect(text).not.toContain(platform.admin.token);
      expect(text).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
    }
  });

  it.each([
    [
      "all mistakes in the settings",
      () => ["--url", "x", "--parallel", "0", "--nope"],
      /--nope.*\n.*--url.*\n.*--parallel/,
    ],
    ["what is missing", () => ["--grpc", "127.0.0.1:1"], /--url is required.*\n.*--token-file is required/],
    ["a token file that is not there", () => ["--url", platform.url, "--token-file", "nope"], /--token-file: .*nope/],
    [
      "a file that holds no token",
      () => ["--url", platform.url, "--token-file", main],
      /--token-file: the file does not/,
    ],
    ["a wrong token", () => ["--url", platform.url, "--token-file", wrongFile], /is --token-file right\?/],
    [
      "a platform that does not answer",
      () => ["--url", "http://127.0.0.1:1", "--token-file", tokenFile],
      /ECONNREFUSED/,
    ],
    [
      "a pattern that matches nothing",
      () => ["--url", platform.url, "--token-file", tokenFile, "--case", "zz"],
      /--case: no case matches "zz"/,
    ],
  ])("tells %s", async (_, args, message) => {
    const { code, stderr } = await command(args());
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  it("lists cases, and writes the table, without a platform", async () => {
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
