import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether the shell is installed. Without it, a line on standard error says that its tests are skipped. */
export function hasShell(shell: string): boolean {
  const has = spawnSync("sh", ["-c", `command -v ${shell}`]).status === 0;
  if (!has) process.stderr.write(`SKIPPED the tests of completion in ${shell}: install ${shell} to run them\n`);
  return has;
}

/** Runs a program of a shell with the path of a file that has the completion script. @returns its standard output */
export function runShell(shell: string, options: readonly string[], script: string, program: string): string {
  const folder = mkdtempSync(join(tmpdir(), "muster-completion-"));
  try {
    const file = join(folder, "script");
    writeFileSync(file, script);
    // With another HOME, no configuration of the user is read, and no file of the shell is left behind.
    const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, SCRIPT: file };
    const { status, stdout, stderr } = spawnSync(shell, [...options, "-c", program], { encoding: "utf8", env });
    if (status !== 0 || stderr !== "") throw new Error(`${shell} exited with ${status}: ${stderr}`);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * What fish completes at the end of a line, without descriptions.
 * @throws {Error} if fish reports an error in the script
 */
export function completeInFish(script: string, line: string): readonly string[] {
  const stdout = runShell("fish", ["--no-config"], script, `source $SCRIPT; complete --do-complete '${line}'`);
  return linesOf(stdout).map((match) => match.split("\t")[0] ?? "");
}

/**
 * What zsh completes when TAB is pressed at the end of a line. The line is edited in a terminal of its own, where the
 * function with which completions add their matches prints them instead.
 * @throws {Error} if zsh reports an error in the script
 */
export function completeInZsh(script: string, line: string): readonly string[] {
  const start = `PS1= PS2=; autoload -Uz compinit; compinit -D; source $SCRIPT
compadd() {
  if (( \${@[(I)-[OAD]*]} )); then builtin compadd "$@"; return; fi
  local -a found; builtin compadd -A found "$@"; print -rl -- "match:"\${^found}
}
begin() { print -r -- begin-matches }; finish() { print -r -- end-matches; exit }
compprefuncs=(begin) comppostfuncs=(finish); bindkey "^I" complete-word; print ready-to-complete`;
  const stdout = runShell(
    "zsh",
    ["-f"],
    script,
    `zmodload zsh/zpty; zpty shell zsh -f -i; zpty -w shell ${quoted(start)}
zpty -r shell output '*ready-to-complete'$'\\r'; zpty -w -n shell ${quoted(`${line}\t`)}
zpty -r shell output '*end-matches*'; print -r -- "\${output#*begin-matches}"`,
  );
  const matches = linesOf(stdout).filter((text) => text.startsWith("match:"));
  return matches.map((text) => text.slice("match:".length)).filter((match) => match !== "");
}

function linesOf(output: string): readonly string[] {
  return output.split(/[\r\n]+/).filter((line) => line !== "");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
