// Writes docs/reference/cli.md from the table of commands. With --check it writes nothing, and fails if the file is out of
// date.
import { commandGroups, loadCommand } from "#src/commands/command.ts";
import { topics } from "#src/commands/help/topics.ts";
import { flagOf, hasVariable, type Setting, type Settings, variableOf } from "#src/commands/settings/setting.ts";
import { commands } from "#src/commands.ts";
import { writeGenerated } from "./generated-files.ts";

const sections: string[] = [];
for (const group of commandGroups) {
  const names = Object.keys(commands).filter((name) => commands[name]?.group === group);
  if (names.length === 0) continue;
  sections.push(`## ${group}`);
  for (const name of names) sections.push(await commandSection(name));
}

const page = [
  "# Commands",
  "Generated from `src/commands` by `npm run generate`. Do not edit.",
  "This page is for people who run `muster`: every command and every setting. `muster help COMMAND` shows the same in a terminal. In a checkout, `npx muster` runs the program; in the image, it is the entry point.",
  ...sections,
  "## Topics",
  ...Object.entries(topics).flatMap(([name, { summary, text }]) => [
    `### ${name}`,
    `${summary[0]?.toUpperCase() ?? ""}${summary.slice(1)}.`,
    `\`\`\`text\n${text}\n\`\`\``,
  ]),
];

await writeGenerated("the commands", new Map([["docs/reference/cli.md", `${page.join("\n\n")}\n`]]));

async function commandSection(name: string): Promise<string> {
  const listed = commands[name];
  if (listed === undefined) throw new Error(`there is no command ${name}`);
  const { summary, description, settings } = await loadCommand(listed);
  const operands = Object.values(settings).filter(({ operand }) => operand);
  const flags = operands.length < Object.keys(settings).length ? " [--setting VALUE …]" : "";
  const usage = ["muster", name, ...operands.map(({ placeholder }) => placeholder)].join(" ");
  return [
    `### muster ${name}`,
    `${summary[0]?.toUpperCase() ?? ""}${summary.slice(1)}.`,
    `\`\`\`text\n${usage}${flags}\n\`\`\``,
    ...(description === undefined ? [] : [`\`\`\`text\n${description.trimEnd()}\n\`\`\``]),
    ...(Object.keys(settings).length === 0 ? [] : [settingsTable(settings)]),
  ].join("\n\n");
}

function settingsTable(settings: Settings): string {
  const rows = Object.entries(settings).map(([key, setting]) => {
    const notes = [setting.presence.kind === "required" ? "required" : "", setting.repeatable ? "repeatable" : ""];
    return [nameOf(key, setting), hasVariable(setting) ? `\`${variableOf(key)}\`` : "–", describe(setting.help, notes)];
  });
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(["setting", "variable", "meaning"]), line(["---", "---", "---"]), ...rows.map(line)].join("\n");
}

function nameOf(key: string, { operand, short, placeholder }: Setting<unknown>): string {
  if (operand) return `\`${placeholder}\``;
  return `${short === undefined ? "" : `\`-${short}\`, `}\`${`${flagOf(key)} ${placeholder}`.trimEnd()}\``;
}

function describe(help: string, notes: readonly string[]): string {
  const written = notes.filter((note) => note !== "");
  return `${help.replaceAll("\n", " ")}${written.length === 0 ? "" : ` (${written.join(", ")})`}`;
}
