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
  /** The width to which tables are fitted; default: as if the output was no terminal. */
  readonly tableColumns?: number;
  /** What is on standard input. */
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** How the program is called; default: `muster`. */
  readonly program?: string;
  /** Called with each text that the command writes to standard error, as soon as it is written. */
  readonly onStderr?: (text: string) => void;
}

/** Runs a command in this process, with an empty environment and nothing on standard input unless options say otherwise. */
export async function runCommand(
  args: readonly string[],
  {
    env = {},
    commands = allCommands,
    columns = 80,
    tableColumns,
    input = "",
    program = "muster",
    signal,
    onStderr,
  }: RunOptions = {},
): Promise<CommandRun> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const printed: string[] = [];
  stderr.on("data", (chunk: Buffer) => {
    printed.push(chunk.toString());
    onStderr?.(chunk.toString());
  });
  const context = { env, signal: signal ?? new AbortController().signal, stdin, stdout, stderr, commands, program };
  const code = await runCommandLine(args, {
    ...context,
    terminal: { columns, ...(tableColumns === undefined ? {} : { tableColumns }), colors: false },
  });
  await new Promise((done) => stderr.end(done));
  return { code, stdout: String(stdout.read() ?? ""), stderr: printed.join("") };
}
