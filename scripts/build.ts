// Bundles the program and the packages that it uses: muster.mjs is the program, and muster/ has a file for each command and
// for what commands share, so that a process loads only the code of the command that it runs. The licences of the packages
// are written to NOTICES.txt. All of it is written to dist/, or to the folder given as the argument. The build is
// reproducible: the same sources, lock file and MUSTER_COMMIT give the same bytes. MUSTER_COMMIT is the commit that the bundle
// reports (`muster_build_info`); absent: unknown.
import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile, type Plugin, type PluginBuild } from "esbuild";
import { billOfMaterials, type Lockfile } from "./bill-of-materials.ts";

const usage = `Usage: npm run build -- [FOLDER]

Bundles the program into FOLDER (default: dist). The commit in the variable MUSTER_COMMIT is the one that the program
reports.
`;
const [argument] = process.argv.slice(2);
if (argument === "--help" || argument === "-h") {
  process.stdout.write(usage);
  process.exit(0);
}
if (argument?.startsWith("-")) {
  process.stderr.write(`build: "${argument}" is not an option\n\n${usage}`);
  process.exit(2);
}

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(argument ?? join(root, "dist"));
const program = join(folder, "muster.mjs");

/** The modules of Node that take the most memory. */
const heavyBuiltins = /^(?:node:)?(?:sqlite|https?|http2)$/;

const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { readonly version: string };

await rm(program, { force: true });
await rm(join(folder, "muster"), { recursive: true, force: true });
const { metafile } = await bundle().catch(() => {
  // esbuild has already printed the errors.
  process.exit(1);
});
await chmod(program, 0o755);
const outputs = Object.values(metafile.outputs);
requireNames(outputs);
const packages = packagesIn(outputs);
await writeFile(join(folder, "NOTICES.txt"), (await Promise.all(packages.map(notice))).join(`\n${"=".repeat(80)}\n`));
const lockfile = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as Lockfile;
await writeFile(join(folder, "sbom.cdx.json"), billOfMaterials(packages, lockfile));
const size = outputs.reduce((sum, { bytes }) => sum + bytes, 0);
process.stdout.write(
  `${program}: ${(size / 2 ** 20).toFixed(2)} MiB in ${outputs.length} files, with ${packages.length} packages bundled\n`,
);

function bundle() {
  return build({
    absWorkingDir: root,
    entryPoints: [
      { in: "src/main.ts", out: "muster" },
      // A thread's code, which is loaded from the folder of the code that starts it.
      { in: "src/platform/store/sqlite/checkpoint-worker.ts", out: "muster/checkpoint-worker" },
    ],
    outdir: folder,
    chunkNames: "muster/[name]-[hash]",
    // The ending makes each file a module without a package.json next to it.
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // Each dynamic import, thus each command, becomes a file of its own.
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    // Identifiers are not minified, because they appear in stack traces and logs. (The option `keepNames` would preserve
    // them, at the cost of a call for each closure that is created.)
    minifyWhitespace: true,
    minifySyntax: true,
    // A dynamic import includes the whole package; the program uses only its kubeconfig loader, a tenth of it.
    alias: { "@kubernetes/client-node": join(root, "node_modules/@kubernetes/client-node/dist/config.js") },
    plugins: [heavyBuiltinsOnDemand(), dispatchersOfUndici(), metricsOfPromClient(), platformInOneFile()],
    legalComments: "none",
    define: {
      MUSTER_BUILD_VERSION: JSON.stringify(manifest.version),
      MUSTER_BUILD_COMMIT: JSON.stringify(process.env["MUSTER_COMMIT"] || "unknown"),
      // With it, undici leaves out an experimental parser, as in Node.
      esbuildDetection: "true",
    },
    metafile: true,
    logLevel: "warning",
    banner: {
      // Bundled CommonJS packages load Node's modules with `require`, which an ES module does not have. One of `createRequire` would
      // cost each file as much time as its import.
      js: "const require=process.getBuiltinModule;",
    },
  });
}

/**
 * Loads Node's heavy modules when the code that imports them runs, not at startup: an `import` at the top of a file would
 * load HTTP/2 for the operator, and reads each member of `node:http`, one of which loads Node's own copy of undici. All other
 * modules are loaded at startup: with all of them on demand, a list page of the platform took 2.5 times the CPU time
 * (`npm run bench -- platform`).
 */
function heavyBuiltinsOnDemand(): Plugin {
  return {
    name: "heavy-builtins-on-demand",
    setup(bundler) {
      bundler.onResolve({ filter: /.*/, namespace: "file" }, ({ path, kind }) => {
        if (!heavyBuiltins.test(path)) return undefined;
        // Such an import is on demand already.
        return kind === "dynamic-import" ? { path, external: true } : { path, namespace: "builtin" };
      });
      bundler.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)})`,
      }));
      bundler.onResolve({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({ path, external: true }));
    },
  };
}

/**
 * Ends the build if the program imports a CommonJS module on demand. The bundle has only its default export, so that a name of it
 * is undefined there, although it exists when the program runs from its source.
 */
function requireNames(files: readonly Metafile["outputs"][string][]): void {
  const nameless = files.flatMap(({ entryPoint = "src/", exports: names }) =>
    entryPoint.startsWith("src/") || names.join() !== "default" ? [] : [entryPoint],
  );
  if (nameless.length === 0) return;
  process.stderr.write(
    `build: import() of CommonJS: ${nameless.join(", ")}; import a module of src/ that exports the names instead\n`,
  );
  process.exit(1);
}

/**
 * Bundles the part of undici that Muster uses: its own entry point loads fetch, WebSockets, caches and mocks into the memory
 * of each process, and each client HTTP/2, which Muster does not allow, and the forms and blobs of fetch, which it does not send.
 */
function dispatchersOfUndici(): Plugin {
  return {
    name: "dispatchers-of-undici",
    setup(bundler) {
      bundler.onResolve({ filter: /^undici$/ }, ({ importer }) => ({
        path: importer.includes("node_modules") ? "of-packages" : "of-muster",
        namespace: "undici",
      }));
      const resolveDir = join(root, "node_modules/undici");
      // An ES module: to import another name from it is an error of the build, and would be undefined with CommonJS.
      bundler.onLoad({ filter: /^of-muster$/, namespace: "undici" }, () => ({
        resolveDir,
        contents: `import Dispatcher from "./lib/dispatcher/dispatcher";
          import methods from "./lib/api";
          import Agent from "./lib/dispatcher/agent";
          import Client from "./lib/dispatcher/client";
          import Pool from "./lib/dispatcher/pool";
          import buildConnector from "./lib/core/connect";
          import errors from "./lib/core/errors";
          Object.assign(Dispatcher.prototype, methods);
          export { Agent, Client, Pool, buildConnector, errors };`,
      }));
      leaveOut(bundler, "undici", /\/(?:client-h2|web\/fetch\/body|web\/fetch\/formdata|web\/webidl)(?:\.js)?$/);
      // Packages import more than what Muster uses of them.
      bundler.onLoad({ filter: /^of-packages$/, namespace: "undici" }, () => ({
        resolveDir,
        contents: 'exports.Agent = require("./lib/dispatcher/agent");',
      }));
    },
  };
}

/**
 * Bundles the part of prom-client that Muster uses: its own entry point loads what sends metrics to a gateway and collects them from a
 * cluster, and its metrics of CPU time load OpenTelemetry for exemplars, which Muster does not record.
 */
function metricsOfPromClient(): Plugin {
  return {
    name: "metrics-of-prom-client",
    setup(bundler) {
      const resolveDir = join(root, "node_modules/prom-client");
      bundler.onResolve({ filter: /^prom-client$/ }, () => ({ path: "of-muster", namespace: "prom-client" }));
      bundler.onLoad({ filter: /^of-muster$/, namespace: "prom-client" }, () => ({
        resolveDir,
        contents: `import Counter from "./lib/counter";
          import Gauge from "./lib/gauge";
          import Histogram from "./lib/histogram";
          import Registry from "./lib/registry";
          import collectDefaultMetrics from "./lib/defaultMetrics";
          export { Counter, Gauge, Histogram, Registry, collectDefaultMetrics };`,
      }));
      leaveOut(bundler, "prom-client", /^@opentelemetry\/api$/);
    },
  };
}

/** Replaces the modules that a package imports, and of which Muster uses nothing, by an empty one. */
function leaveOut(bundler: PluginBuild, importedBy: string, filter: RegExp): void {
  bundler.onResolve({ filter }, ({ importer }) =>
    importer.includes(`/${importedBy}/`) ? { path: "unused", namespace: importedBy } : undefined,
  );
  bundler.onLoad({ filter: /^unused$/, namespace: importedBy }, () => ({ contents: "" }));
}

/**
 * Keeps the code of the platform in one file. esbuild puts into a file what the same entry points reach: with the commands on the data, and
 * what the platform loads on demand, the platform would be in 70 files, and each takes a third of a millisecond of its start. Here these
 * modules import the platform, too, so that all of them reach the same code.
 */
function platformInOneFile(): Plugin {
  const onData = "admin-token|audit|backup|load|migrate|restore|rotate-key-file|rotate-signing-key";
  const onDemand =
    "audit-export|grpc-handler|init-file|login-context|login-endpoints|api-descriptions|postgres-database|copy-from-sqlite";
  const filter = new RegExp(`/src/(?:commands/platform/(?:${onData})|platform/(?:.*/)?(?:${onDemand}))\\.ts$`);
  return {
    name: "platform-in-one-file",
    setup(bundler) {
      bundler.onLoad({ filter }, async ({ path }) => ({
        contents: `import "#src/commands/platform/platform.ts";${await readFile(path, "utf8")}`,
        loader: "ts",
      }));
    },
  };
}

/** The folders of the packages that contribute code to these files of the bundle, sorted. */
function packagesIn(files: readonly Metafile["outputs"][string][]): readonly string[] {
  const inputs = files.flatMap((file) => Object.entries(file.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) => {
    const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    return found === undefined || bytesInOutput === 0 ? [] : [found];
  });
  return [...new Set(folders)].toSorted();
}

/** The name, version and licence texts of one package. */
async function notice(packageFolder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(root, packageFolder, "package.json"), "utf8"));
  const files = (await readdir(join(root, packageFolder))).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = await Promise.all(files.toSorted().map((file) => readFile(join(root, packageFolder, file), "utf8")));
  return `${name} ${version}\nLicence: ${license}\n\n${texts.join("\n")}`;
}
