import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { copyBundle } from "#test/support/harness/copy-bundle.ts";

// krew's own validator is not available as a Go module here, so its rules are repeated from its documentation and source.

const text = z.string().min(1);
const requirement = z.strictObject({
  key: z.enum(["os", "arch"]),
  operator: z.enum(["In", "NotIn"]),
  values: z.array(text).min(1),
});
const pluginSchema = z.strictObject({
  apiVersion: z.literal("krew.googlecontainertools.github.com/v1alpha2"),
  kind: z.literal("Plugin"),
  metadata: z.strictObject({ name: z.string().regex(/^[\w-]+$/) }),
  spec: z.strictObject({
    version: z.string().regex(/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/),
    homepage: z.url(),
    shortDescription: z.string().regex(/^[^\r\n]{1,80}$/),
    description: text,
    caveats: text,
    platforms: z
      .array(
        z.strictObject({
          selector: z.strictObject({ matchExpressions: z.array(requirement).min(1) }),
          uri: z.url(),
          sha256: z.string().regex(/^[a-f0-9]{64}$/),
          bin: text,
        }),
      )
      .min(1),
  }),
});

let folder = "";
let plugin: z.output<typeof pluginSchema>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-krew-test-"));
  const build = join(folder, "build");
  await copyBundle(build);
  const uri = "https://example.com/v0.1.0/muster.tar.gz";
  const args = [
    "--uri",
    uri,
    "--homepage",
    "https://example.com/muster",
    "--build",
    build,
    "--out",
    join(folder, "out"),
  ];
  execFileSync(process.execPath, ["scripts/krew.ts", ...args]);
  plugin = pluginSchema.parse(parse(readFileSync(join(folder, "out/muster.yaml"), "utf8")));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

it("writes a manifest that follows krew's rules, for the archive", () => {
  const sum = createHash("sha256")
    .update(readFileSync(join(folder, "out/muster.tar.gz")))
    .digest("hex");
  expect(plugin.metadata.name).toBe("muster");
  expect(plugin.spec.platforms.map(({ sha256 }) => sha256)).toEqual([sum]);
  expect(readFileSync(join(folder, "out/muster.yaml"), "utf8")).not.toMatch(/\b(?:VERSION|URI|SHA256|HOMEPAGE)\b/);
});

it("writes an archive that runs as a plugin, installed as krew does", () => {
  const installed = join(folder, "store/muster");
  const bin = join(folder, "bin");
  mkdirSync(installed, { recursive: true });
  mkdirSync(bin);
  execFileSync("tar", ["-xzf", join(folder, "out/muster.tar.gz"), "-C", installed]);
  symlinkSync(join(installed, plugin.spec.platforms[0]?.bin ?? ""), join(bin, "kubectl-muster"));
  const PATH = `${bin}:${installed}:${dirname(process.execPath)}:/usr/bin:/bin`;
  const help = spawnSync("kubectl-muster", ["doctor", "--help"], { encoding: "utf8", env: { PATH } });
  expect(help.stderr).toBe("");
  expect(help.stdout).toContain("Usage: kubectl muster doctor");
  const completed = spawnSync("kubectl_complete-muster", ["doc"], { encoding: "utf8", env: { PATH } });
  expect(completed.stdout).toBe("doctor\n:4\n");
  // krew does not know which Node.js the user has.
  const code = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })`;
  const env = { PATH, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
  expect(spawnSync("kubectl-muster", ["version"], { encoding: "utf8", env })).toMatchObject({
    status: 1,
    stdout: "",
    stderr:
      "kubectl muster: Node.js 24 or later is required, and this is 20.20.2. Install it from https://nodejs.org\n",
  });
});
