import { PassThrough } from "node:stream";
import { runCommandLine } from "./command-line.ts";
import type { CommandList } from "./commands/command.ts";
import { commands as allCommands } from "./commands.ts";

/** What a command has printed, and its exit code. */
export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly commands?: CommandList;
  /** The width of the terminal, which shows no colours. */
  readonly columns?: number;
}

/** Runs a command in this process, with an empty environment and nothing on standard input unless options say otherwise. */
export async function runCommand(
  args: readonly string[],
  { env = {}, commands = allCommands, columns = 80 }: RunOptions = {},
): Promise<CommandRun> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const terminal = { columns, colors: false };
  const code = await runCommandLine(args, { env, signal, stdin, stdout, stderr, terminal, commands });
  return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}
