import {
  type Command,
  type CommandContext,
  commandGroups,
  type CommandList,
  commandsBelow,
  loadCommand,
  type Terminal,
} from "#src/commands/command.ts";
import { describeSettings, wrap } from "#src/commands/settings/settings.ts";
import { heading, twoColumns } from "./headings.ts";
import { type Topic, topics } from "./topics.ts";

/** What a help text depends on. */
export type HelpContext = Pick<CommandContext, "commands" | "program" | "terminal">;

/** The text of `muster --help`: all commands by group, and the topics. */
export async function overview({ commands, program, terminal }: HelpContext): Promise<string> {
  const sections: string[] = [];
  for (const group of commandGroups) {
    const rows = await summaries(
      commands,
      Object.keys(commands).filter((name) => commands[name]?.group === group),
    );
    if (rows.length > 0) sections.push(section(group, twoColumns(rows, terminal), terminal));
  }
  const topicRows = Object.entries(topics).map(([name, { summary }]) => [name, summary] as const);
  return `Usage: ${program} COMMAND [--setting VALUE …]

${sections.join("\n")}
${section("Topics", twoColumns(topicRows, terminal), terminal)}
${wrap(`Run "${program} help COMMAND" for the settings of a command, and "${program} help TOPIC" for a topic. Each setting can also be given as an environment variable: --root-group is MUSTER_ROOT_GROUP.`, terminal.columns)}
`;
}

/** The text of `muster COMMAND --help`: usage, the commands below it, and its settings. */
export async function commandHelp(name: string, command: Command, context: HelpContext): Promise<string> {
  const { commands, program, terminal } = context;
  const operands = Object.values(command.settings).filter(({ operand }) => operand);
  const hasFlags = operands.length < Object.keys(command.settings).length;
  const usage = [program, name, ...operands.map(({ placeholder }) => placeholder)].join(" ");
  return [
    wrap(`${program} ${name}: ${command.summary}`, terminal.columns) + "\n",
    wrap(`Usage: ${usage}${hasFlags ? " [--setting VALUE …]" : ""}`, terminal.columns) + "\n",
    ...(command.description === undefined
      ? []
      : [`${paragraphs(examplesOf(command.description, program), terminal)}\n`]),
    ...(commandsBelow(name, commands).length === 0 ? [] : [await wordHelp(name, context)]),
    ...(Object.keys(command.settings).length === 0
      ? []
      : [section("Settings", describeSettings(command.settings, terminal.columns), terminal)]),
  ].join("\n");
}

/** The text of `muster help TOPIC`. */
export function topicHelp({ text }: Topic, terminal: Terminal): string {
  return `${paragraphs(text, terminal)}\n`;
}

/** The text of `muster help GROUP`, such as `workloads`. */
export async function groupHelp(group: string, { commands, terminal }: HelpContext): Promise<string> {
  const names = Object.keys(commands).filter((name) => commands[name]?.group === group);
  return section(group, twoColumns(await summaries(commands, names), terminal), terminal);
}

/** The commands below a word, such as `platform`, or `credential-helper`, which is not a command itself. */
export async function wordHelp(word: string, { commands, terminal }: HelpContext): Promise<string> {
  const rows = await summaries(commands, commandsBelow(word, commands));
  return section("Commands", twoColumns(rows, terminal), terminal);
}

function section(title: string, text: string, terminal: Terminal): string {
  return `${heading(`${title}:`, terminal)}\n${text}\n`;
}

function summaries(commands: CommandList, names: readonly string[]): Promise<(readonly [string, string])[]> {
  return Promise.all(
    names.map(async (name) => {
      const listed = commands[name];
      return [name, listed === undefined ? "" : (await loadCommand(listed)).summary] as const;
    }),
  );
}

/** A description whose examples, which begin with a space, call the program as it was called. */
function examplesOf(description: string, program: string): string {
  return description.replace(/^( +)muster (?=[a-z])/gm, `$1${program} `);
}

/** Wraps the paragraphs of a text. Lines that begin with a space stay as they are. */
function paragraphs(text: string, { columns }: Terminal): string {
  return text
    .split("\n")
    .map((line) => (line.startsWith(" ") ? line : wrap(line, columns)))
    .join("\n");
}
