// Writes docs/reference/cli.md and a page for each command from the table of commands. With --check it writes nothing, and fails if
// a file is out of date.
import { commandGroups, type ListedCommand, loadCommand } from "#src/commands/command.ts";
import { topics } from "#src/commands/help/topics.ts";
import { flagOf, hasVariable, type Setting, type Settings, variableOf } from "#src/commands/settings/setting.ts";
import { commands } from "#src/commands.ts";
import type { Reader } from "./docs/audience.ts";
import { writeGenerated } from "./generated-files.ts";

const folder = "docs/reference/cli";
const generated = "Generated from `src/commands` by `npm run generate`. Do not edit.";
const readers: Readonly<Record<ListedCommand["group"], Reader>> = {
  Operator: "platform engineers",
  Platform: "platform engineers",
  Workloads: "application developers",
  People: "application developers",
  Other: "platform engineers",
};
const files = new Map<string, string>();

const index = [
  "# Commands",
  "For **platform engineers**: find the command for a task.",
  generated,
  "Every command of `muster`; the page of each has its settings. `muster help COMMAND` shows the same in a terminal. In a checkout, `npx muster` runs the program; in the image, it is the entry point. If a command fails, see [errors](errors.md).",
];
for (const group of commandGroups) {
  index.push(`## ${group}`);
  for (const name of Object.keys(commands).filter((one) => commands[one]?.group === group)) {
    const { summary } = await commandOf(name);
    index.push(
      `### muster ${name}`,
      `[${sentence(summary)}](cli/${pageOf(name)}.md#muster-${name.replaceAll(" ", "-")})`,
    );
  }
}
index.push("## Topics");
for (const [name, { summary }] of Object.entries(topics))
  index.push(`### ${name}`, `[${sentence(summary)}](cli/topics.md#${name})`);
files.set("docs/reference/cli.md", textOf(index));

for (const page of new Set(Object.keys(commands).map(pageOf))) {
  const names = Object.keys(commands).filter((name) => pageOf(name) === page);
  const blocks = [
    `# muster ${page}`,
    `For **${readerOf(page)}**: look up what \`muster ${page}\` does, and its settings.`,
    generated,
  ];
  for (const name of names) {
    if (name !== page) blocks.push(`## muster ${name}`);
    blocks.push(await commandSection(name));
  }
  files.set(`${folder}/${page}.md`, textOf(blocks));
}
files.set(
  `${folder}/topics.md`,
  textOf([
    "# Help topics",
    "For **platform engineers**: look up exit codes, and what else all commands share.",
    generated,
    ...Object.entries(topics).flatMap(([name, { summary, text }]) => [
      `## ${name}`,
      sentence(summary),
      `\`\`\`text\n${text}\n\`\`\``,
    ]),
  ]),
);
await writeGenerated("the commands", files, folder);

/** Those who use the commands of a page. */
function readerOf(page: string): Reader {
  const group = Object.entries(commands).find(([name]) => pageOf(name) === page)?.[1].group;
  return readers[group ?? "Other"];
}

/** Commands with the same first word share a page. */
function pageOf(name: string): string {
  return name.split(" ")[0] ?? name;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

function textOf(blocks: readonly string[]): string {
  return `${blocks.join("\n\n")}\n`;
}

async function commandOf(name: string) {
  const listed = commands[name];
  if (listed === undefined) throw new Error(`there is no command ${name}`);
  return loadCommand(listed);
}

async function commandSection(name: string): Promise<string> {
  const { summary, description, settings } = await commandOf(name);
  const operands = Object.values(settings).filter(({ operand }) => operand);
  const flags = operands.length < Object.keys(settings).length ? " [--setting VALUE …]" : "";
  const usage = ["muster", name, ...operands.map(({ placeholder }) => placeholder)].join(" ");
  return [
    sentence(summary),
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
