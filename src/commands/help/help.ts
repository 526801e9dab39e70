import {
  commandGroups,
  type CommandContext,
  commandsBelow,
  defineCommand,
  loadCommand,
} from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { didYouMean } from "#src/text/nearest.ts";
import { commandHelp, groupHelp, overview, topicHelp, wordHelp } from "./help-text.ts";
import { topics } from "./topics.ts";

export default defineCommand({
  summary: "explain a command or a topic",
  settings: {
    topic: settings.optionalOperands(
      { ...settings.text, placeholder: "TOPIC", completion: "command" },
      "A command, such as platform audit; a group of commands, such as workloads; or a topic. (default: all commands and topics)",
    ),
  },
  run: async ({ topic }, context) => {
    context.stdout.write(await textOf(topic.join(" "), context));
  },
});

/** @throws {SettingsError} if there is no such command or topic. */
async function textOf(name: string, context: CommandContext): Promise<string> {
  const { commands, program, terminal } = context;
  if (name === "") return overview(context);
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (listed !== undefined) return commandHelp(name, await loadCommand(listed), context);
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined;
  if (topic !== undefined) return topicHelp(topic, terminal);
  if (commandsBelow(name, commands).length > 0) return wordHelp(name, context);
  const group = commandGroups.find((one) => one.toLowerCase() === name.toLowerCase());
  if (group !== undefined) return groupHelp(group, context);
  const names = [...Object.keys(commands), ...Object.keys(topics), ...commandGroups.map((one) => one.toLowerCase())];
  throw new settings.SettingsError([
    `there is no command or topic "${name}"${didYouMean(name, names) || `; "${program} help" lists all of them`}`,
  ]);
}
