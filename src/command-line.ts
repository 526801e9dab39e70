import {
  type CommandContext,
  CommandFailure,
  type CommandList,
  commandsBelow,
  loadCommand,
} from "./commands/command.ts";
import { commandHelp, overview, wordHelp } from "./commands/help/help-text.ts";
import { readSettings, SettingsError } from "./commands/settings/settings.ts";
import { didYouMean } from "./text/nearest.ts";
import { InvalidProxyVariable } from "./http/proxy-settings.ts";

/** Runs the command that the arguments name. @returns the exit code; see the help topic `exit-codes`. */
export async function runCommandLine(args: readonly string[], context: CommandContext): Promise<number> {
  const { commands, program, stdout, stderr } = context;
  const { name, rest } = split(args, commands);
  const words = rest.filter((argument) => !isHelp(argument));
  if (name !== undefined && isHelp(name) && words.length > 0) return runCommandLine([...words, name], context);
  if (name === undefined || isHelp(name)) {
    (name === undefined ? stderr : stdout).write(await overview(context));
    return name === undefined ? 2 : 0;
  }
  if (name === "--version") return runCommandLine(["version", ...rest], context);
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (listed === undefined) {
    const below = commandsBelow(name, commands);
    const [word] = rest;
    if (below.length > 0 && (word === undefined || isHelp(word))) {
      (word === undefined ? stderr : stdout).write(await wordHelp(name, context));
      return word === undefined ? 2 : 0;
    }
    stderr.write(`${program}: ${notACommand(name, word, context)}\n`);
    return 2;
  }
  const command = await loadCommand(listed);
  const operands = rest.indexOf("--");
  if (rest.slice(0, operands === -1 ? rest.length : operands).some(isHelp)) {
    stdout.write(await commandHelp(name, command, context));
    return 0;
  }
  try {
    const [word = ""] = rest;
    const takesOperands = Object.values(command.settings).some(({ operand }) => operand);
    if (commandsBelow(name, commands).length > 0 && !takesOperands && /^[^-]/.test(word))
      throw new SettingsError([notACommand(name, word, context)]);
    await command.run(readSettings(command.settings, rest, context.env), context);
    return 0;
  } catch (error) {
    const mistakes = mistakesIn(error);
    if (mistakes !== undefined) {
      stderr.write(`${program} ${name}: invalid settings\n`);
      for (const mistake of mistakes) stderr.write(`  ${mistake}\n`);
      return command.hasOwnExitCodes?.(rest) === true ? 1 : 2;
    }
    stderr.write(`${program} ${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    // Imported on demand: a command that succeeds does not load it.
    const { explanationOf } = await import("./commands/help/explanation-of.ts");
    const explanation = explanationOf(error);
    if (explanation !== undefined) stderr.write(`More: docs/reference/errors.md#${explanation}\n`);
    return error instanceof CommandFailure ? error.exitCode : 1;
  }
}

/** What is wrong with a word that should be a command, or with the second one of two, and what was probably meant. */
function notACommand(
  name: string,
  word: string | undefined,
  { commands, program }: Pick<CommandContext, "commands" | "program">,
): string {
  const below = commandsBelow(name, commands);
  if (below.length > 0 && word !== undefined)
    return `"${name} ${word}" is not a command${didYouMean(`${name} ${word}`, below) || `; "${program} help ${name}" lists the commands`}`;
  if (/^-+v$/i.test(name)) return `"${name}" is not a command; did you mean "version"?`;
  const names = Object.keys(commands);
  const guess = (word === undefined ? "" : didYouMean(`${name} ${word}`, names)) || didYouMean(name, names);
  const advice = `${name.startsWith("-") ? "; flags come after the command" : ""}; "${program} help" lists all commands`;
  return `"${name}" is not a command${guess || advice}`;
}

/** What is wrong with the command line or a variable; undefined if the error is another one. */
function mistakesIn(error: unknown): readonly string[] | undefined {
  if (error instanceof SettingsError) return error.mistakes;
  return error instanceof InvalidProxyVariable ? [error.message] : undefined;
}

/** Splits the arguments into the name of the command and its settings. Two words take precedence over one. */
function split(
  args: readonly string[],
  commands: CommandList,
): { readonly name: string | undefined; readonly rest: readonly string[] } {
  const two = args.slice(0, 2).join(" ");
  const words = args.length > 1 && Object.hasOwn(commands, two) ? 2 : 1;
  return { name: words === 2 ? two : args[0], rest: args.slice(words) };
}

function isHelp(argument: string): boolean {
  return argument === "--help" || argument === "-h";
}
