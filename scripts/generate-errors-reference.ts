// Writes docs/reference/errors.md from the explanations of errors. With --check it writes nothing, and fails if the file is out of
// date.
import { type Explanation, explanations } from "#src/commands/explanations.ts";
import { writeGenerated } from "./generated-files.ts";

const paragraphs = Object.entries<Explanation>(explanations).flatMap(([name, { meaning, fixes }]) => [
  `## ${titleOf(name)}`,
  meaning,
  fixes.map((fix) => `- ${fix}`).join("\n"),
]);

/** The heading whose anchor is the name. */
function titleOf(name: string): string {
  const text = name.replaceAll("-", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const page = [
  "# Errors of commands",
  "For **platform engineers**: fix an error of `muster` when its message is not enough.",
  "Generated from `src/commands/explanations.ts` by `npm run generate`. Do not edit.",
  "Most messages say what to do. The others end with the address of a paragraph below:",
  "```text\nmuster whoami: you are not logged in to https://platform.example.com. Log in: muster login --platform-url https://platform.example.com --group UID\nMore: docs/reference/errors.md#not-logged-in\n```",
  "[Exit codes](cli/topics.md#exit-codes) tell scripts what went wrong. For objects that are not Ready, see [conditions](conditions.md).",
  "## Invalid settings",
  "A flag, an argument, an environment variable or a file of settings is wrong, and nothing was done. Each line of the message names one, and what it must be. `muster help COMMAND` lists what the command accepts. Every setting is also a variable, so a `MUSTER_…` variable that you set for another command counts as well: `env | grep MUSTER_` shows them.",
  ...paragraphs,
];

await writeGenerated("the errors of commands", new Map([["docs/reference/errors.md", `${page.join("\n\n")}\n`]]));
