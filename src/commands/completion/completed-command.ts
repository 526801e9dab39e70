import { commandsBelow, type CommandList, loadCommand } from "#src/commands/command.ts";
import { topics } from "#src/commands/help/topics.ts";
import { flagOf } from "#src/commands/settings/settings.ts";

/** What a shell completes: one of these words, the path of a file, or nothing. */
export type Completed = readonly string[] | "file" | "nothing";

export interface CompletedFlag {
  /** `--log-level` */
  readonly flag: string;
  /** `-o` */
  readonly short: string | undefined;
  /** The first sentence of the help, without a period. */
  readonly summary: string;
  readonly placeholder: string;
  /** Undefined for a flag without a value. */
  readonly value: Completed | undefined;
  readonly repeatable: boolean;
}

/** What a shell has to know about a command. */
export interface CompletedCommand {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  /** What the first of the command's positional arguments is, and all of them if there is one kind; `nothing` without any. */
  readonly operands: Completed;
}

/**
 * Every command with its settings, and `--help`; also each first word that is not a command itself, such as
 * `credential-helper`.
 */
export async function completedCommands(commands: CommandList): Promise<readonly CompletedCommand[]> {
  const helpWords = [...Object.keys(commands).flatMap((name) => name.split(" ")), ...Object.keys(topics)];
  const completed = (completion: readonly string[] | "file" | "command" | undefined): Completed =>
    completion === "command" ? [...new Set(helpWords)] : (completion ?? "nothing");
  const all = await Promise.all(
    Object.entries(commands).map(async ([name, listed]) => {
      const { summary, settings } = await loadCommand(listed);
      const flags = Object.entries(settings).filter(([, { operand }]) => !operand);
      const operand = Object.values(settings).find((setting) => setting.operand);
      return {
        name,
        summary,
        flags: [
          ...flags.map(([key, { help, short, placeholder, completion, repeatable }]) => ({
            flag: flagOf(key),
            short: short === undefined ? undefined : `-${short}`,
            summary: firstSentence(help),
            placeholder,
            value: placeholder === "" ? undefined : completed(completion),
            repeatable,
          })),
          helpFlag,
        ],
        operands: completed(operand?.completion),
      };
    }),
  );
  return all.flatMap((command, index) => {
    const [word = ""] = command.name.split(" ");
    const first = all.findIndex(({ name }) => name.split(" ")[0] === word) === index;
    return Object.hasOwn(commands, word) || !first ? [command] : [firstWord(word, commands), command];
  });
}

function firstWord(word: string, commands: CommandList): CompletedCommand {
  const summary = `commands: ${commandsBelow(word, commands).join(", ")}`;
  return { name: word, summary, flags: [helpFlag], operands: "nothing" };
}

const helpFlag: CompletedFlag = {
  flag: "--help",
  short: "-h",
  summary: "Print the help of the command",
  placeholder: "",
  value: undefined,
  repeatable: false,
};

function firstSentence(help: string): string {
  return /^(.+?)(?:[.:;] |\.$|$)/.exec(help)?.[1] ?? help;
}
