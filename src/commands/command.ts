import type { Settings, Values } from "./settings/settings.ts";

/** What `main.ts` passes to a command. Only `main.ts` accesses the process. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by the first SIGTERM or SIGINT: the command then stops accepting work, finishes running work and returns. */
  readonly signal: AbortSignal;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
}

export interface Command<S extends Settings = Settings> {
  /** One line for `muster --help`. */
  readonly summary: string;
  readonly settings: S;
  /** Runs until it is done or `context.signal` aborts. `main.ts` prints the message of an error and exits with code 1. */
  readonly run: (values: Values<S>, context: CommandContext) => Promise<void>;
}

/** Infers the types of the values that `run` receives from the settings. */
export function defineCommand<S extends Settings>(command: Command<S>): Command<S> {
  return command;
}
