import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";

const complete = async (...words: readonly string[]) => (await runCommand(["complete", "--", ...words])).stdout;

describe("muster complete", () => {
  it.each<[name: string, words: readonly string[], expected: string]>([
    ["commands", ["wh"], "whoami\nwhy\n:4\n"],
    ["the second word of a command", ["access", "wh"], "who-can\n:4\n"],
    ["settings", ["why", "--out"], "--output\n:4\n"],
    ["settings of a command of two words", ["access", "of", "--no-c"], "--no-cluster\n:4\n"],
    ["values of a setting", ["why", "--output", "j"], "json\n:4\n"],
    ["values of a short flag", ["why", "-o", "y"], "yaml\n:4\n"],
    ["names of files, which kubectl knows", ["why", "--kubeconfig", ""], ":0\n"],
    ["nothing for an object", ["why", "shop/"], ":4\n"],
    ["nothing for an unknown command", ["what", ""], ":4\n"],
  ])("completes %s", async (_, words, expected) => {
    expect(await complete(...words)).toBe(expected);
  });
});

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

describe.skipIf(!hasKubectl)("as a plugin of kubectl", () => {
  /** What kubectl prints, where the launcher of this checkout is on the PATH as npm links it. */
  function kubectl(...args: readonly string[]) {
    const folder = mkdtempSync(join(tmpdir(), "muster-kubectl-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    symlinkSync(resolve("src/muster.sh"), join(folder, "kubectl-muster"));
    symlinkSync(resolve("src/kubectl_complete-muster.sh"), join(folder, "kubectl_complete-muster"));
    return spawnSync("kubectl", args, {
      encoding: "utf8",
      env: { PATH: `${folder}:${process.env["PATH"] ?? ""}`, HOME: folder },
    });
  }

  it("calls itself as it was called, in usage, examples and errors", () => {
    const { stdout } = kubectl("muster", "why", "--help");
    expect(stdout).toContain("Usage: kubectl muster why NAMESPACE/KIND/NAME");
    expect(stdout).toContain("  kubectl muster why Tenant/shop");
    const { status, stderr } = kubectl("muster", "wyh");
    expect(status).toBe(2);
    expect(stderr).toBe('kubectl muster: "wyh" is not a command; did you mean "why"?\n');
  });

  it("is completed by kubectl", () => {
    expect(kubectl("__complete", "muster", "wh").stdout).toBe("whoami\nwhy\n:4\n");
  });
});
