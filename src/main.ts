#!/usr/bin/env node
import type { Command } from "./commands/command.ts";
import { describeSettings, readSettings, SettingsError } from "./commands/settings.ts";

/** Loaded one at a time: a command must not pay for what only another one imports. */
const commands: Readonly<Record<string, { summary: string; load: () => Promise<{ default: unknown }> }>> = {
  operator: {
    summary: "keep the platform as the custom resources say",
    load: () => import("./commands/operator.ts"),
  },
  platform: {
    summary: "serve the platform that the operator drives",
    load: () => import("./commands/platform.ts"),
  },
};

const usage = `Usage: muster COMMAND [--setting VALUE …]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join("\n")}

muster COMMAND --help explains each setting. Every setting is also a variable: --root-group is MUSTER_ROOT_GROUP.
`;

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "help") {
    process.stdout.write(usage);
    return name === undefined ? 2 : 0;
  }
  const entry = commands[name];
  if (entry === undefined) {
    process.stderr.write(`muster: there is no command "${name}".\n\n${usage}`);
    return 2;
  }
  const command = (await entry.load()).default as Command;
  if (rest.includes("--help")) {
    process.stdout.write(`muster ${name}: ${entry.summary}\n\nSettings:\n${describeSettings(command.settings)}\n`);
    return 0;
  }
  try {
    const values = readSettings(command.settings, rest, process.env);
    await command.run(values, { env: process.env, signal: stopSignal(), stdout: process.stdout });
    return 0;
  } catch (error) {
    if (error instanceof SettingsError) {
      process.stderr.write(`muster ${name}: ${error.mistakes.length === 1 ? "a setting is" : "settings are"} wrong\n`);
      for (const mistake of error.mistakes) process.stderr.write(`  ${mistake}\n`);
      return 2;
    }
    process.stderr.write(`muster ${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** The first signal asks to stop; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      controller.abort(new Error(`stopped by ${signal}`));
      process.once(signal, () => process.exit(1));
    });
  }
  return controller.signal;
}

process.exit(await main(process.argv.slice(2)));
