import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { CommandContext } from "#src/commands/command.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { seconds } from "#src/time/durations.ts";

const run = promisify(execFile);

/** A kustomization can name files elsewhere, which are fetched. */
const timeoutMs = seconds(60);
const maxBytes = 64 * 1024 * 1024;
/** The programs that build a kustomization, in the order in which they are tried. */
const programs = [
  ["kubectl", "kustomize"],
  ["kustomize", "build"],
] as const;

/**
 * The manifests that `kubectl kustomize`, or `kustomize build` where kubectl is missing, makes of a folder.
 * @throws {Error} if the folder does not exist, if both programs are missing, if the one that is there refuses the folder, and after
 * 60 s or 64 MiB
 */
export async function kustomize(
  folder: string,
  { env, signal }: Pick<CommandContext, "env" | "signal">,
): Promise<string> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`--kustomize: ${folder} is not a folder: name one that has a kustomization.yaml`);
  for (const [program, command] of programs) {
    try {
      // Without a shell, and with an absolute path, nothing in the name of the folder is a command or a flag.
      const { stdout } = await run(program, [command, resolve(folder)], {
        env,
        signal,
        timeout: timeoutMs,
        maxBuffer: maxBytes,
      });
      return stdout;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!isMissing(error))
        throw new Error(`--kustomize: ${program} ${command} ${folder}: ${reasonOf(error)}`, { cause: error });
    }
  }
  throw new Error(
    "--kustomize: neither kubectl nor kustomize is in the PATH: install one of them, or write the manifests with it elsewhere and give them to --filename (-f)",
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "its output is larger than 64 MiB";
  if ("killed" in error && error.killed === true) return "it did not end within 60 s";
  return oneLine("stderr" in error && error.stderr !== "" ? String(error.stderr) : error.message);
}
