import type { Settings, Values } from "./settings/settings.ts";

/** What a command gets from `main.ts`, the only place that touches the process. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by the first SIGTERM or SIGINT: stop taking work, finish what runs, return. */
  readonly signal: AbortSignal;
  readonly stdout: NodeJS.WritableStream;
}

export interface Command<S extends Settings = Settings> {
  /** One line for `muster --help`. */
  readonly summary: string;
  readonly settings: S;
  /** Runs until done or until `context.signal` aborts. What it throws is printed as one line and ends the process with 1. */
  readonly run: (values: Values<S>, context: CommandContext) => Promise<void>;
}

/** Gives `run` the types of its settings. */
export function defineCommand<S extends Settings>(command: Command<S>): Command<S> {
  return command;
}
