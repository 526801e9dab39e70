import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { ControlPlaneUnavailable } from "#test/support/control-plane/unavailable.ts";

export interface BuildOptions {
  /** Called with one line, without a line end, while something takes long. */
  readonly progress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Compilation {
  /** The absolute path of the folder with the module. */
  readonly folder: string;
  /** The import path of the program, by default that of the folder. */
  readonly package?: string | undefined;
  /** The build tags. */
  readonly tags?: readonly string[] | undefined;
  /** The variables of packages that the linker sets. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * Packages of Kubernetes that are large, mostly generated, and not what a request to a custom resource spends its time in.
 * They are compiled without inlining. (For all packages, that would save 16 % of the build's CPU time, and the API server
 * would use 1.3 to 2.2 times as much.)
 */
const notInlined = [
  "k8s.io/kubernetes/...",
  "k8s.io/kube-aggregator/...",
  "k8s.io/client-go/applyconfigurations/...",
  "k8s.io/client-go/informers/...",
  "k8s.io/client-go/kubernetes/...",
  "k8s.io/client-go/listers/...",
];

/**
 * `go list` and `go build` must have the same flags to have the same cache, and so must the programs, which share packages.
 * Nobody debugs them, and therefore they have no debug information.
 */
const flags = [
  "-mod=readonly",
  "-trimpath",
  "-buildvcs=false",
  "-gcflags=all=-dwarf=false",
  ...notInlined.map((pattern) => `-gcflags=${pattern}=-dwarf=false -l`),
];

/** These packages need most of the standard library, which is compiled while modules are downloaded. */
const standardLibrary = ["encoding/json", "net/http", "text/template"];

/** The compiler's heap is small, so that collecting its garbage costs more than the memory that it frees. */
const compilerEnv = { CGO_ENABLED: "0", GOWORK: "off", GOGC: "off", GOMEMLIMIT: "1GiB" };

const reportEveryMs = 2_000;
/** `go: downloading MODULE VERSION`. */
const downloading = /^go: downloading /;
const packagePath = /^[\w./-]+$/;

/**
 * Compiles and links the program of a module. The progress is the number of modules that were downloaded, then that of the
 * packages that were compiled, of all that are missing in Go's cache.
 * @throws {ControlPlaneUnavailable} if Go is missing, or fails
 */
export async function compile(
  { folder, package: program = ".", tags = [], variables }: Compilation,
  output: string,
  { progress, signal }: BuildOptions,
): Promise<void> {
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  let reportedAt = started;
  const report = (text: () => string) => {
    if (performance.now() < reportedAt + reportEveryMs) return;
    reportedAt = performance.now();
    progress?.(`${seconds()} s: ${text()}`);
  };

  let downloads = 0;
  const tagged = [...flags, "-tags", tags.join(",")];
  const stale = ["-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"];
  const [missing] = await Promise.all([
    go(folder, ["list", ...tagged, ...stale, program], signal, (line) => {
      if (downloading.test(line)) downloads += 1;
      report(() => `${downloads} modules downloaded`);
    }),
    go(folder, ["build", ...flags, ...standardLibrary], signal),
  ]);

  let compiled = 0;
  const linked = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  const link = ["-ldflags", `-s -w ${linked.join(" ")}`, "-o", output];
  await go(folder, ["build", "-v", ...tagged, ...link, program], signal, (line) => {
    if (packagePath.test(line)) compiled += 1;
    report(() => `${compiled} of ${missing.length} packages compiled`);
  });
  progress?.(`built in ${seconds()} s`);
}

/** Runs Go. @param onLine called with each line of its standard error @returns the lines of its standard output */
async function go(
  folder: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
  onLine: (line: string) => void = () => {},
): Promise<readonly string[]> {
  const child = spawn("go", args, {
    cwd: folder,
    env: { ...process.env, ...compilerEnv },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  ended.catch(() => {});
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (!downloading.test(line) && !packagePath.test(line)) errors.push(line);
    onLine(line);
  });
  const code = await ended.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new ControlPlaneUnavailable(
      "Go is not installed: install Go 1.26 or newer, or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver",
    );
  });
  if (code !== 0)
    throw new ControlPlaneUnavailable(
      `go ${args[0]} failed in ${folder} (exit code ${code}):\n${errors.slice(-20).join("\n")}`,
    );
  return lines;
}
