import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";

const offline = ["--agent-image", "muster:1", "--identity", `${"0".repeat(40)}/${"1".repeat(16)}`];
const inject = (...args: readonly string[]) =>
  runCommand(["inject", ...offline, "--platform-url", "https://platform.example.com", ...args]);

it("names a file of manifests that does not exist, or that is a folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-inject-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const missing = join(folder, "missing.yaml");
  expect(await inject("-f", missing)).toEqual({
    code: 1,
    stdout: "",
    stderr: `muster inject: --file: the file ${missing} does not exist\n`,
  });
  expect((await inject("-f", folder)).stderr).toBe(`muster inject: --file: ${folder} is a folder, not a file\n`);
});

it.each(["cpu=5q", "memory=48Mib", "memory=", "memory=1.5.2"])(
  "rejects %s, which Kubernetes would",
  async (quantity) => {
    expect((await inject("-f", "app.yaml", "--agent-limit", quantity)).stderr).toContain(
      `--agent-limit: "${quantity}" is not NAME=QUANTITY, such as memory=48Mi`,
    );
  },
);

it.each(["cpu=5m", "cpu=0.5", "memory=48Mi", "memory=1e6", "memory=100M", "example.com/gpu=1"])(
  "accepts %s",
  async (quantity) => {
    expect((await inject("-f", "/nowhere/app.yaml", "--agent-limit", quantity)).stderr).toContain("--file: the folder");
  },
);
