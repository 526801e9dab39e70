import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type BuildOptions, compile } from "./compile.ts";
import { withLock } from "./lock.ts";

/** A Go program whose module is a folder of this repository. */
export interface GoProgram {
  /** The name of the built file, before its version. */
  readonly name: string;
  /** The absolute path of the folder with the sources, `go.mod` and `go.sum`. */
  readonly folder: string;
  /** The folder below it with the program, where a module has several programs. */
  readonly main?: string;
  /** The import path of the program, where it is a dependency of the module, without sources in the folder. */
  readonly package?: string;
  /** The build tags. */
  readonly tags?: readonly string[];
  /** What is built, for people. */
  readonly title: string;
  /** The module in `go.mod` whose version is that of the program. */
  readonly module: string;
  /** The variables of packages that the linker sets, from that version; by default none. */
  readonly linkedVariables?: (version: string) => Readonly<Record<string, string | undefined>>;
}

/**
 * Builds a program once, and keeps it in the user's cache folder under its version and a hash of the sources and flags. If
 * several processes call it at the same time, one builds and the others wait.
 * @returns the path of the program
 * @throws {ControlPlaneUnavailable} if Go is missing, or if the build fails (for example without the Go module proxy)
 */
export async function buildGoProgram(source: GoProgram, { progress, signal }: BuildOptions = {}): Promise<string> {
  const { program, version, compilation } = await locate(source);
  if (await exists(program)) return program;

  await mkdir(cacheFolder(), { recursive: true });
  await withLock(`${program}.lock`, { progress, signal }, async () => {
    if (await exists(program)) return;
    progress?.(`building ${source.title} ${version} with Go; this takes some minutes, the first time only`);
    const unfinished = `${program}.${process.pid}`;
    try {
      await compile(compilation, unfinished, { progress, signal });
      await rename(unfinished, program);
    } finally {
      await rm(unfinished, { force: true });
    }
  });
  return program;
}

/** Whether the program is in the cache, so that it can be used without Go. */
export async function isBuilt(source: GoProgram): Promise<boolean> {
  return exists((await locate(source)).program);
}

async function locate(source: GoProgram) {
  const contents = await sources(source.folder);
  if (source.main !== undefined)
    for (const [name, text] of await sources(join(source.folder, source.main)))
      contents.set(`${source.main}/${name}`, text);
  const requirement = new RegExp(`${source.module.replaceAll(".", "[.]")} (v\\S+)`);
  const [, version] = requirement.exec(contents.get("go.mod") ?? "") ?? [];
  if (version === undefined) throw new Error(`${source.folder}/go.mod does not require ${source.module}`);
  const compilation = {
    folder: join(source.folder, source.main ?? ""),
    package: source.package,
    tags: source.tags,
    variables: source.linkedVariables?.(version) ?? {},
  };
  const { folder: _, ...flags } = compilation;
  const hash = createHash("sha256")
    .update([...contents.values(), JSON.stringify(flags), await readFile(compileSource, "utf8")].join("\0"))
    .digest("hex")
    .slice(0, 12);
  return { program: join(cacheFolder(), `${source.name}-${version}-${hash}`), version, compilation };
}

/** The sources of Go in a folder, by name, in alphabetical order. */
async function sources(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => /\.go$|^go\.(?:mod|sum)$/.test(name)).toSorted();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}

/** The user's folder with what is built once. */
export function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "muster");
}

/** The flags of the compiler are part of what is built. */
const compileSource = join(import.meta.dirname, "compile.ts");

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
