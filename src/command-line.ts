import { type CommandContext, type CommandList, loadCommand } from "./commands/command.ts";
import { commandHelp, overview } from "./commands/help/help-text.ts";
import { didYouMean, readSettings, SettingsError } from "./commands/settings/settings.ts";
import { InvalidProxyVariable } from "./http/proxy-settings.ts";

export interface CommandLineContext extends CommandContext {
  readonly stderr: NodeJS.WritableStream;
}

/** Runs the command that the arguments name. @returns the exit code; see the help topic `exit-codes`. */
export async function runCommandLine(args: readonly string[], context: CommandLineContext): Promise<number> {
  const { commands, terminal, stdout, stderr } = context;
  const { name, rest } = split(args, commands);
  if (name === undefined || isHelp(name)) {
    (name === undefined ? stderr : stdout).write(await overview(commands, terminal));
    return name === undefined ? 2 : 0;
  }
  if (name === "--version") return runCommandLine(["version", ...rest], context);
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (listed === undefined) {
    const guess = didYouMean([name, ...rest.slice(0, 1)].join(" "), Object.keys(commands));
    const suggestion = guess || didYouMean(name, Object.keys(commands)) || '; "muster help" lists all commands';
    stderr.write(`muster: "${name}" is not a command${suggestion}\n`);
    return 2;
  }
  const command = await loadCommand(listed);
  const operands = rest.indexOf("--");
  if (rest.slice(0, operands === -1 ? rest.length : operands).some(isHelp)) {
    stdout.write(await commandHelp(name, command, commands, terminal));
    return 0;
  }
  try {
    const [word = ""] = rest;
    const below = Object.keys(commands).filter((other) => other.startsWith(`${name} `));
    const takesOperands = Object.values(command.settings).some(({ operand }) => operand);
    if (below.length > 0 && !takesOperands && /^[^-]/.test(word))
      throw new SettingsError([
        `"${name} ${word}" is not a command${didYouMean(`${name} ${word}`, below) || `; "muster help ${name}" lists the commands`}`,
      ]);
    await command.run(readSettings(command.settings, rest, context.env), context);
    return 0;
  } catch (error) {
    const mistakes = mistakesIn(error);
    if (mistakes !== undefined) {
      stderr.write(`muster ${name}: invalid settings\n`);
      for (const mistake of mistakes) stderr.write(`  ${mistake}\n`);
      return 2;
    }
    stderr.write(`muster ${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
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
