import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { withLock } from "./lock.ts";
import { ControlPlaneUnavailable } from "./unavailable.ts";

interface BuildOptions {
  readonly progress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A Go program whose module is a folder of this repository. */
export interface GoProgram {
  /** The name of the built file, before its version. */
  readonly name: string;
  /** The absolute path of the folder with `main.go`, `go.mod` and `go.sum`. */
  readonly folder: string;
  /** What is built, for people. */
  readonly title: string;
  /** The module in `go.mod` whose version is that of the program. */
  readonly module: string;
  /** The variables of packages that the linker sets, from that version. */
  readonly linkedVariables: (version: string) => Readonly<Record<string, string | undefined>>;
  /** The approximate number of packages of the program, for the progress line. */
  readonly packageCount: number;
}

const sources = ["main.go", "go.mod", "go.sum"];

const controlPlane: GoProgram = {
  name: "control-plane",
  folder: import.meta.dirname,
  title: "Kubernetes",
  module: "k8s.io/kubernetes",
  // kubectl rejects a server without a version as incompatible.
  linkedVariables: (version) => {
    const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
    const variable = (name: string) => `k8s.io/component-base/version.${name}`;
    return { [variable("gitVersion")]: version, [variable("gitMajor")]: major, [variable("gitMinor")]: minor };
  },
  packageCount: 2_600,
};

/**
 * Builds the Go program of this folder.
 * @returns the path of the program
 * @throws {ControlPlaneUnavailable} if Go is missing, or if the build fails (for example without the Go module proxy)
 */
export async function buildControlPlane(options: BuildOptions = {}): Promise<string> {
  return buildGoProgram(controlPlane, options);
}

/**
 * Builds a program once, and keeps it in the user's cache folder under its version and a hash of the sources. If several
 * processes call it at the same time, one builds and the others wait.
 * @returns the path of the program
 * @throws {ControlPlaneUnavailable} if Go is missing, or if the build fails (for example without the Go module proxy)
 */
export async function buildGoProgram(source: GoProgram, { progress, signal }: BuildOptions = {}): Promise<string> {
  const contents = await Promise.all(sources.map((name) => readFile(join(source.folder, name), "utf8")));
  const [, version] = new RegExp(`${source.module.replaceAll(".", "[.]")} (v\\S+)`).exec(contents[1] ?? "") ?? [];
  if (version === undefined) throw new Error(`${source.folder}/go.mod does not require ${source.module}`);
  const hash = createHash("sha256").update(contents.join("\0")).digest("hex").slice(0, 12);
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "muster");
  const program = join(cache, `${source.name}-${version}-${hash}`);
  if (await exists(program)) return program;

  await mkdir(cache, { recursive: true });
  await withLock(`${program}.lock`, { progress, signal }, async () => {
    if (await exists(program)) return;
    const unfinished = `${program}.${process.pid}`;
    try {
      await goBuild(source, unfinished, version, { progress, signal });
      await rename(unfinished, program);
    } finally {
      await rm(unfinished, { force: true });
    }
  });
  return program;
}

async function goBuild(
  { folder, title, linkedVariables, packageCount }: GoProgram,
  output: string,
  version: string,
  { progress, signal }: BuildOptions,
): Promise<void> {
  const started = performance.now();
  progress?.(`building ${title} ${version} with Go; this takes some minutes, the first time only`);
  const linkerFlags = Object.entries(linkedVariables(version)).map(([name, value]) => `-X ${name}=${value}`);
  const go = spawn(
    "go",
    [
      "build",
      "-v",
      "-mod=readonly",
      "-trimpath",
      "-buildvcs=false",
      "-ldflags",
      `-s -w ${linkerFlags.join(" ")}`,
    ].concat("-o", output, "."),
    {
      cwd: folder,
      env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" },
      stdio: ["ignore", "ignore", "pipe"],
      signal,
    },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    go.once("error", reject);
    go.once("close", resolve);
  });
  ended.catch(() => {});

  const errors: string[] = [];
  const seconds = () => Math.round((performance.now() - started) / 1000);
  let packages = 0;
  let downloads = 0;
  let reportedAt = 0;
  for await (const line of createInterface({ input: go.stderr })) {
    if (line.startsWith("go: downloading")) downloads++;
    else if (/^[\w./-]+$/.test(line)) packages++;
    else errors.push(line);
    if (seconds() < reportedAt + 5) continue;
    reportedAt = seconds();
    const share = Math.min(99, Math.round((packages / packageCount) * 100));
    progress?.(
      packages === 0
        ? `${reportedAt} s: ${downloads} modules downloaded`
        : `${reportedAt} s: about ${share} % compiled`,
    );
  }
  const status = await ended.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new ControlPlaneUnavailable(
      "Go is not installed: install Go 1.21 or newer, or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver",
    );
  });
  if (status !== 0)
    throw new ControlPlaneUnavailable(
      `go build failed in ${folder} (exit code ${status}):\n${errors.slice(-20).join("\n")}`,
    );
  progress?.(`built in ${seconds()} s`);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
