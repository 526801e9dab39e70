// Bundles the program into one file, dist/muster.js, with what it needs from node_modules inside, and writes the licences
// of all that is in it to dist/NOTICES.txt. The same sources and lock file give the same bytes.
import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = "dist/muster.js";

await rm(join(root, "dist"), { recursive: true, force: true });
const { metafile } = await bundle().catch(() => {
  // esbuild has said what is wrong, file and line.
  process.exit(1);
});
await chmod(join(root, output), 0o755);
const packages = packagesIn(metafile);
await writeFile(
  join(root, "dist/NOTICES.txt"),
  (await Promise.all(packages.map(notice))).join(`\n${"=".repeat(80)}\n`),
);
const size = metafile.outputs[output]?.bytes ?? 0;
process.stdout.write(`${output}: ${(size / 2 ** 20).toFixed(2)} MiB, with ${packages.length} packages inside\n`);

function bundle() {
  return build({
    absWorkingDir: root,
    entryPoints: ["src/main.ts"],
    outfile: output,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    minify: true,
    // Names of classes and functions are in error messages and logs.
    keepNames: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    banner: {
      // CommonJS packages inside of the bundle ask for Node's modules by `require`, which a module does not have.
      js: 'import{createRequire as musterCreateRequire}from"node:module";const require=musterCreateRequire(import.meta.url);',
    },
  });
}

/** The folders of the packages of which anything is in the bundle, in order. */
function packagesIn({ outputs }: Metafile): readonly string[] {
  const folders = Object.entries(outputs[output]?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) => {
    const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    return folder === undefined || bytesInOutput === 0 ? [] : [folder];
  });
  return [...new Set(folders)].toSorted();
}

async function notice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
  const files = (await readdir(join(root, folder))).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = await Promise.all(files.toSorted().map((file) => readFile(join(root, folder, file), "utf8")));
  return `${name} ${version}\nLicence: ${license}\n\n${texts.join("\n")}`;
}
