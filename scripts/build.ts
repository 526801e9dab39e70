// Bundles the program into one file, muster.js, with what it needs from node_modules inside, and writes the licences of
// all that is in it to NOTICES.txt beside it; both into dist/, or the folder that is given. The same sources and lock file
// give the same bytes.
import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, "dist"));
const output = join(folder, "muster.js");

/** Those of Node's modules that hold much memory. */
const heavyBuiltins = /^(?:node:)?(?:sqlite|https?|http2)$/;

await rm(output, { force: true });
const { metafile } = await bundle().catch(() => {
  // esbuild has said what is wrong, file and line.
  process.exit(1);
});
await chmod(output, 0o755);
// There is one output; esbuild names it as seen from the root.
const [bundled] = Object.values(metafile.outputs);
const packages = packagesIn(bundled?.inputs ?? {});
await writeFile(join(folder, "NOTICES.txt"), (await Promise.all(packages.map(notice))).join(`\n${"=".repeat(80)}\n`));
const size = bundled?.bytes ?? 0;
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
    // Names stay as they are: they are in stack traces and logs. (To shorten them and yet keep them, by `keepNames`, would
    // cost a call each time that a closure is made.)
    minifyWhitespace: true,
    minifySyntax: true,
    // All of this package is there when it is imported by `import()`; the program wants its kubeconfig, a tenth of it.
    alias: { "@kubernetes/client-node": join(root, "node_modules/@kubernetes/client-node/dist/config.js") },
    plugins: [heavyBuiltinsOnDemand()],
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    banner: {
      // CommonJS packages inside of the bundle ask for Node's modules by `require`, which a module does not have.
      js: 'import{createRequire as musterCreateRequire}from"node:module";const require=musterCreateRequire(import.meta.url);',
    },
  });
}

/**
 * Node's heavy modules are loaded when a part that wants them is, and not at the start for all: an `import` at the top of the
 * one file would load SQLite and HTTP/2 for every command, and asks `node:http` for each of its members, one of which loads
 * Node's own copy of undici. The others stay as they are: with all of them on demand, a page of the platform took 2.5
 * times the processor's time (`npm run bench:platform`).
 */
function heavyBuiltinsOnDemand(): Plugin {
  return {
    name: "heavy-builtins-on-demand",
    setup(bundler) {
      bundler.onResolve({ filter: /.*/, namespace: "file" }, ({ path }) =>
        heavyBuiltins.test(path) ? { path, namespace: "builtin" } : undefined,
      );
      bundler.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)})`,
      }));
      bundler.onResolve({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({ path, external: true }));
    },
  };
}

/** The folders of the packages of which anything is in the bundle, in order. */
function packagesIn(inputs: Metafile["outputs"][string]["inputs"]): readonly string[] {
  const folders = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
    const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    return found === undefined || bytesInOutput === 0 ? [] : [found];
  });
  return [...new Set(folders)].toSorted();
}

async function notice(packageFolder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(root, packageFolder, "package.json"), "utf8"));
  const files = (await readdir(join(root, packageFolder))).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = await Promise.all(files.toSorted().map((file) => readFile(join(root, packageFolder, file), "utf8")));
  return `${name} ${version}\nLicence: ${license}\n\n${texts.join("\n")}`;
}
