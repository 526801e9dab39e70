import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parsePage } from "#scripts/docs/page-parser.ts";
import { describeWithBareControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { freePort } from "#test/support/control-plane/free-port.ts";

const path = "docs/tutorial.md";
const tools = ["bash", "kubectl", "curl", "jq"].filter(
  (tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0,
);
if (tools.length > 0) process.stderr.write(`SKIPPED the tutorial: install ${tools.join(", ")}\n`);

describeWithBareControlPlane("the tutorial", (controlPlane) => {
  it.skipIf(tools.length > 0)("works as written", async () => {
    const folder = await mkdtemp(join(tmpdir(), "muster-tutorial-"));
    const fences = parsePage({ path, text: await readFile(path, "utf8"), page: "" }).fences;
    const script = ["set -eu", "trap 'kill $(jobs -p); wait' EXIT"];
    const [refusal] = fences.filter(({ language }) => language === "text");
    for (const { code, comment = "", language, line } of fences) {
      if (language !== "sh" || comment.startsWith("not run") || comment.includes("prepared by the test")) continue;
      script.push(`echo "== line ${line}"`, comment === "run in a terminal of its own" ? background(code) : code);
    }
    const replaced = script
      .join("\n")
      .replaceAll("/tmp/muster-tutorial", folder)
      .replaceAll("npx muster", "src/muster.sh")
      .replaceAll("8470", String(await freePort()))
      .replaceAll("8471", String(await freePort()));
    try {
      await writeFile(join(folder, "tutorial.sh"), replaced);
      const { code, output } = await run(join(folder, "tutorial.sh"), { KUBECONFIG: controlPlane().kubeconfigFile });
      expect(code, output).toBe(0);
      expect(output).toMatch(/rolebinding\S+ condition met/);
      // What the Tenant refuses, as the page shows it; what the token reads, the corrected name, and nothing once the role binding is gone.
      expect(output).toContain(refusal?.code);
      expect(output).toContain('"name": "shop"');
      expect(output).toMatch(/"renamed by hand"[^]*"shop"[^]*"0"/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** The output of what runs in the background would hide what the commands print. */
function background(code: string): string {
  return `{ exec ${code.trimEnd()}\n} >/dev/null 2>&1 &`;
}

async function run(script: string, env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const shell = spawn("bash", [script], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 100_000,
  });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(shell, "close")) as [number | null];
  return { code, output };
}
