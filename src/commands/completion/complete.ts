import { defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { type Completed, type CompletedCommand, completedCommands } from "./completed-command.ts";

export default defineCommand({
  summary: "print how words after kubectl muster can be completed; kubectl calls it",
  description: `The program kubectl_complete-muster, which kubectl looks for on the PATH, runs it with the words before the cursor:
  muster complete -- why --out`,
  settings: {
    words: settings.optionalOperands(
      { ...settings.text, placeholder: "WORD", parse: (word) => word },
      "The words after kubectl muster. The last one is completed. It may be empty.",
    ),
  },
  run: async ({ words }, { stdout, commands }) => {
    stdout.write(completionsOf(await completedCommands(commands), words));
  },
});

/** Directives of the completion protocol of kubectl: complete names of files where nothing is offered, or nothing at all. */
const directives = { file: ":0", nothing: ":4" } as const;

/** The words that can be the last one, a line each, and a directive. */
export function completionsOf(commands: readonly CompletedCommand[], words: readonly string[]): string {
  const offered = offeredFor(commands, words);
  if (typeof offered === "string") return `${directives[offered]}\n`;
  const last = words.at(-1) ?? "";
  const lines = offered.filter((word) => word.startsWith(last)).map((word) => `${word}\n`);
  return `${lines.join("")}${directives.nothing}\n`;
}

function offeredFor(commands: readonly CompletedCommand[], words: readonly string[]): Completed {
  if (words.length <= 1) return [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
  const [first = "", second = ""] = words;
  const byName = (name: string) => commands.find((command) => command.name === name);
  const two = words.length > 2 ? byName(`${first} ${second}`) : undefined;
  const command = two ?? byName(first);
  if (command === undefined) return "nothing";
  const [previous = "", last = ""] = words.slice(-2);
  const flag = command.flags.find((one) => one.flag === previous || one.short === previous);
  if (flag?.value !== undefined) return flag.value;
  if (last.startsWith("-")) return command.flags.map((one) => one.flag);
  const below = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(" ")[1] ?? "");
  return two === undefined && words.length === 2 && below.length > 0
    ? [...below, ...wordsOf(command.operands)]
    : command.operands;
}

function wordsOf(completed: Completed): readonly string[] {
  return typeof completed === "string" ? [] : completed;
}
