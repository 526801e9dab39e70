import type { Settings, Values } from "./settings/settings.ts";

/** What `main.ts` passes to a command. Only `main.ts` accesses the process. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by the first SIGTERM or SIGINT: the command then stops accepting work, finishes running work and returns. */
  readonly signal: AbortSignal;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** For what is not the result of the command: what a person has to do, and warnings. */
  readonly stderr: NodeJS.WritableStream;
  readonly terminal: Terminal;
  /** Every command, for help and completion. */
  readonly commands: CommandList;
  /** How the program was called: `muster`, or `kubectl muster` as a plugin of kubectl. */
  readonly program: string;
}

/** How text is laid out on the standard output. */
export interface Terminal {
  /** The width of a line; 80 if the output is not a terminal. */
  readonly columns: number;
  /** The width that tables are fitted to; undefined if the output is not a terminal. */
  readonly tableColumns?: number;
  /** Whether the output is a terminal that shows colours, and NO_COLOR is not set. */
  readonly colors: boolean;
}

export interface Command<S extends Settings = Settings> {
  /** One line for `muster --help`. */
  readonly summary: string;
  /** More about the command for its own help, such as examples. */
  readonly description?: string;
  readonly settings: S;
  /** Whether 2 says something else with these arguments: then the exit code after invalid settings is 1. (default: false) */
  readonly hasOwnExitCodes?: (args: readonly string[]) => boolean;
  /**
   * Runs until it is done or `context.signal` aborts. The message of an error is printed, and the exit code is 1, or that of
   * a `CommandFailure`.
   */
  readonly run: (values: Values<S>, context: CommandContext) => Promise<void>;
}

/** A failure that a script can distinguish from others by the exit code. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  /** From 2 to 125, as the help topic `exit-codes` lists them. */
  readonly exitCode: number;
  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The headings of `muster --help`, in their order. */
export const commandGroups = ["Operator", "Platform", "Workloads", "People", "Other"] as const;

/** A command in the list of all commands, `src/commands.ts`. */
export interface ListedCommand {
  readonly group: (typeof commandGroups)[number];
  /** Imports the command, on demand, so that a process loads only the command that it runs. */
  readonly load: () => Promise<{ readonly default: unknown }>;
}

/** Commands by their names, which are one or two words. */
export type CommandList = Readonly<Record<string, ListedCommand>>;

/** The names of the commands whose first word this is, and that have another one. */
export function commandsBelow(word: string, commands: CommandList): readonly string[] {
  return Object.keys(commands).filter((name) => name.startsWith(`${word} `));
}

export async function loadCommand({ load }: ListedCommand): Promise<Command> {
  // The type of a command's own settings matters only within the command.
  return (await load()).default as Command;
}

/** Infers the types of the values that `run` receives from the settings. */
export function defineCommand<S extends Settings>(command: Command<S>): Command<S> {
  return command;
}
