import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyBundle } from "#test/support/harness/copy-bundle.ts";

const run = promisify(execFile);
const build = fileURLToPath(new URL("../../scripts/build.ts", import.meta.url));

describe("the bundle", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-bundle-"));
    await copyBundle(join(folder, "first"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("is a program and the folder of its parts, with the licences of its packages", async () => {
    expect((await readdir(join(folder, "first"))).toSorted()).toEqual([
      "NOTICES.txt",
      "muster",
      "muster.mjs",
      "sbom.cdx.json",
    ]);
    const notices = await readFile(join(folder, "first/NOTICES.txt"), "utf8");
    expect(notices).toMatch(/^undici [\d.]+\nLicence: MIT\n\nMIT License/m);
    expect(notices).not.toContain("Licence: undefined");
  });

  it("is identical, byte for byte, when built again", async () => {
    await run(process.execPath, [build, join(folder, "second")]);
    const [first, second] = await Promise.all(["first", "second"].map((name) => modules(join(folder, name))));
    expect(first?.size).toBeGreaterThan(5);
    expect([...(first ?? [])].filter(([path, text]) => second?.get(path) !== text)).toEqual([]);
    expect(second?.size).toBe(first?.size);
  });

  it("imports only modules of Node, and its own", async () => {
    const texts = [...(await modules(join(folder, "first"))).values()].join("\n");
    const imported = [...texts.matchAll(/(?:\bimport\b[^"';()]*?from ?|require\d*\()"([^"]+)"/g)].map(
      ([, name = ""]) => name,
    );
    expect(imported).toContain("node:sqlite");
    const others = imported.filter((name) => !isBuiltin(name) && !name.startsWith("./"));
    // The packages debug and pg use these if they are installed.
    expect(others.toSorted()).toEqual(["pg-native", "supports-color"]);
  });

  it("has the exporter of traces in a file of its own, which is loaded only on demand", async () => {
    const files = await modules(join(folder, "first"));
    const [[path, text] = ["", ""], ...others] = [...files].filter(([name]) => name.includes("open-telemetry"));
    expect(others).toEqual([]);
    expect(text).toContain("BatchSpanProcessor");
    for (const [other, code] of files) if (other !== path) expect(code, other).not.toContain("BatchSpanProcessor");
    const name = path.replace(/^.*\//, "./");
    const imports = [...files.values()].flatMap((code) =>
      code
        .split(name)
        .slice(0, -1)
        .map((before) => before.slice(-8)),
    );
    expect(imports).toEqual([`import("`]);
  });

  it("loads little code for an agent in a pod", async () => {
    const loaded = await loadedBy("agent", "keep-token");
    const size = loaded.reduce((sum, code) => sum + code.length, 0);
    // 10 MiB of the goal of 20 MiB of private memory are Node's own. A package would add MiBs.
    expect(size).toBeGreaterThan(5_000);
    expect(size).toBeLessThan(100_000);
  });

  it("loads nothing of HTTP, TLS or cryptography for the startup probe of an agent", async () => {
    const loaded = await loadedBy("agent");
    const builtins = loaded.flatMap((code) =>
      [...code.matchAll(/\b(?:import|from) ?"node:([^"]+)"/g)].map(([, name = ""]) => name),
    );
    expect(builtins).toContain("fs");
    const slow = /^(?:crypto|https?|http2|perf_hooks|tls|v8|vm)$/;
    expect(builtins.filter((name) => slow.test(name))).toEqual([]);
  });

  it.each([
    ["operator", ["BatchSpanProcessor", "ExecAuth", "JWSInvalid", "YAMLParseError", 'require("node:http2")']],
    ["platform", ["BatchSpanProcessor", "ConnectError", "Login/Consent", "ZodError", "YAMLParseError", "undici/lib"]],
  ])("loads for muster %s nothing of packages and pages that it may never use", async (command, names) => {
    const loaded = await loadedBy(command);
    const all = [...(await modules(join(folder, "first"))).values()];
    const containing = (codes: readonly string[]) => names.filter((name) => codes.some((code) => code.includes(name)));
    expect(containing(all)).toEqual(names);
    expect(containing(loaded)).toEqual([]);
  });

  it("has the code of the platform in few files, each of which would delay its start", async () => {
    expect((await loadedBy("platform")).length).toBeLessThan(30);
  });

  /** The code of the program and of these parts of it, with all that they import statically. */
  async function loadedBy(...names: readonly string[]): Promise<readonly string[]> {
    const parts = await modules(join(folder, "first"));
    const loaded = new Map<string, string>();
    const starts = names.map((name) => [...parts.keys()].find((path) => path.startsWith(`muster/${name}-`)) ?? name);
    for (const path of ["muster.mjs", ...starts]) load(path);
    return [...loaded.values()];

    function load(path: string): void {
      if (loaded.has(path)) return;
      const code = parts.get(path);
      if (code === undefined) throw new Error(`the bundle has no ${path}`);
      loaded.set(path, code);
      for (const [, name = ""] of code.matchAll(/\b(?:import|from) ?"(\.[^"]+)"/g)) load(join(dirname(path), name));
    }
  }

  it.each(["operator", "platform"])("runs without other files: muster %s --help", async (command) => {
    const options = { cwd: folder, env: {} };
    const { stdout } = await run(process.execPath, [join(folder, "first/muster.mjs"), command, "--help"], options);
    expect(stdout).toContain("--listen HOST:PORT");
  });
});

/** The text of each module of a bundle, by its path. */
async function modules(folder: string): Promise<Map<string, string>> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".mjs"));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), "utf8")] as const)),
  );
}
