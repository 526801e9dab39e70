// Packs a build of the program as a plugin of kubectl: an archive, and the manifest with which krew installs it, from
// deploy/krew/muster.yaml. The same build gives the same archive.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { parseArgs } from "node:util";

const usage = `Usage: npm run krew -- --uri URI --homepage URL [--build FOLDER] [--out FOLDER]

Writes muster.tar.gz, and muster.yaml for krew, into the folder of --out (default: dist/krew), from the build in the folder of
--build (default: dist; see npm run build). URI is where the archive will be downloaded from.
`;
const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) {
  process.stdout.write(usage);
  process.exit(0);
}
const root = fileURLToPath(new URL("..", import.meta.url));
const text = { type: "string" } as const;
const { values } = parseArgs({ args, options: { uri: text, homepage: text, build: text, out: text } });
const { build = join(root, "dist"), homepage, out = join(root, "dist/krew"), uri } = values;
if (uri === undefined || homepage === undefined) {
  process.stderr.write(`krew: --uri and --homepage are required\n\n${usage}`);
  process.exit(2);
}

const archive = pack(resolve(build));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
const manifest = readFileSync(join(root, "deploy/krew/muster.yaml"), "utf8")
  .replace(/^#.*\n/, "")
  .replace("version: VERSION", `version: v${version}`)
  .replace("homepage: HOMEPAGE", `homepage: ${JSON.stringify(homepage)}`)
  .replace("uri: URI", `uri: ${JSON.stringify(uri)}`)
  .replace("sha256: SHA256", `sha256: ${createHash("sha256").update(archive).digest("hex")}`);
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "muster.tar.gz"), archive);
writeFileSync(join(out, "muster.yaml"), manifest);
process.stdout.write(`${join(out, "muster.yaml")}: ${(archive.length / 2 ** 20).toFixed(2)} MiB\n`);

/** The archive of a build: the bundle, the program that completes words, and the licences. */
function pack(folder: string): Buffer {
  const staged = mkdtempSync(join(tmpdir(), "muster-krew-"));
  try {
    for (const name of ["muster.mjs", "NOTICES.txt"]) copyFileSync(join(folder, name), join(staged, name));
    cpSync(join(folder, "muster"), join(staged, "muster"), { recursive: true });
    copyFileSync(join(root, "LICENSE"), join(staged, "LICENSE"));
    copyFileSync(join(root, "src/kubectl_complete-muster.sh"), join(staged, "kubectl_complete-muster"));
    for (const name of ["muster.mjs", "kubectl_complete-muster"]) chmodSync(join(staged, name), 0o755);
    const reproducible = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    const tar = execFileSync("tar", [...reproducible, "-C", staged, "-cf", "-", "."], { maxBuffer: 2 ** 28 });
    return gzipSync(tar, { level: 9 });
  } finally {
    rmSync(staged, { recursive: true });
  }
}
