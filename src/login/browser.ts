import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** How to open an address in the person's browser, or why that is not possible. */
export type Browser =
  | { readonly kind: "program"; readonly file: string; readonly args: readonly string[] }
  | { readonly kind: "none"; readonly reason: string };

export interface BrowserSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Finds the program that opens addresses: `$BROWSER`, or the one of the system. No shell is involved. */
export function findBrowser({ env, platform }: BrowserSearch): Browser {
  const chosen = env["BROWSER"]?.split(":")[0] || undefined;
  if (chosen !== undefined) {
    const file = onPath(chosen, env);
    return file === undefined
      ? { kind: "none", reason: `the program of the variable BROWSER (${chosen}) was not found` }
      : { kind: "program", file, args: [] };
  }
  if (env["SSH_CONNECTION"])
    return {
      kind: "none",
      reason: "this is an SSH session, and a browser on another machine cannot reach this command",
    };
  if (platform === "darwin") return { kind: "program", file: "/usr/bin/open", args: [] };
  if (platform === "win32") {
    const file = join(env["SystemRoot"] ?? "C:\\Windows", "System32", "rundll32.exe");
    return { kind: "program", file, args: ["url.dll,FileProtocolHandler"] };
  }
  const wsl = env["WSL_DISTRO_NAME"] ? onPath("wslview", env) : undefined;
  if (wsl !== undefined) return { kind: "program", file: wsl, args: [] };
  if (!env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) return { kind: "none", reason: "this machine has no display" };
  const file = onPath("xdg-open", env);
  return file === undefined
    ? { kind: "none", reason: "xdg-open, which opens the browser, is not installed" }
    : { kind: "program", file, args: [] };
}

/**
 * Starts the browser, which may outlive this process. It gets the environment without the settings of this program, some of
 * which are secret.
 * @param failed called at most once, if the program cannot be started or reports a failure
 */
export function openBrowser(
  { args, file }: Browser & { readonly kind: "program" },
  address: string,
  env: BrowserSearch["env"],
  failed: (reason: string) => void,
): void {
  const child = spawn(file, [...args, address], {
    stdio: "ignore",
    detached: true,
    shell: false,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("MUSTER_"))),
  });
  child.once("error", ({ message }) => failed(message));
  child.once("exit", (code) => {
    if (code !== 0 && code !== null) failed(`${file} exited with ${code}`);
  });
  child.unref();
}

function onPath(program: string, env: BrowserSearch["env"]): string | undefined {
  const candidates = isAbsolute(program)
    ? [program]
    : (env["PATH"] ?? "")
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, program));
  return candidates.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
