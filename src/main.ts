#!/usr/bin/env node
import type { Command } from "./commands/command.ts";
import { describeSettings, readSettings, SettingsError } from "./commands/settings/settings.ts";

/** Each command by its name of one or two words. Imported on demand, so that a command loads only what it needs. */
const commands: Readonly<Record<string, () => Promise<{ readonly default: unknown }>>> = {
  operator: () => import("./commands/operator/start.ts"),
  "operator check": () => import("./commands/operator/check.ts"),
  platform: () => import("./commands/platform/platform.ts"),
  "platform admin-token": () => import("./commands/platform/admin-token.ts"),
  "platform audit": () => import("./commands/platform/audit.ts"),
  "platform backup": () => import("./commands/platform/backup.ts"),
  "platform load": () => import("./commands/platform/load.ts"),
  "platform restore": () => import("./commands/platform/restore.ts"),
  bootstrap: () => import("./commands/bootstrap/bootstrap.ts"),
  "uninstall-check": () => import("./commands/uninstall/uninstall-check.ts"),
};

/** Splits the arguments into the name of the command and its settings. Two words take precedence over one. */
function split(args: readonly string[]): { readonly name: string | undefined; readonly rest: readonly string[] } {
  const two = args.slice(0, 2).join(" ");
  const words = args.length > 1 && Object.hasOwn(commands, two) ? 2 : 1;
  return { name: words === 2 ? two : args[0], rest: args.slice(words) };
}

async function load(name: string): Promise<Command | undefined> {
  // The type of a command's own settings matters only within the command.
  return (await commands[name]?.())?.default as Command | undefined;
}

async function usage(): Promise<string> {
  const lines = await Promise.all(
    Object.keys(commands).map(async (name) => `  ${name.padEnd(22)} ${(await load(name))?.summary ?? ""}`),
  );
  return `Usage: muster COMMAND [--setting VALUE …]

Commands:
${lines.join("\n")}

Run "muster COMMAND --help" for the settings of a command. Each setting can also be given as an environment variable:
--root-group is MUSTER_ROOT_GROUP.
`;
}

async function main(args: readonly string[]): Promise<number> {
  const { name, rest } = split(args);
  if (name === undefined || name === "--help" || name === "help") {
    process.stdout.write(await usage());
    return name === undefined ? 2 : 0;
  }
  const command = await load(name);
  if (command === undefined) {
    process.stderr.write(`muster: unknown command "${name}"\n\n${await usage()}`);
    return 2;
  }
  if (rest.includes("--help")) {
    process.stdout.write(`muster ${name}: ${command.summary}\n\nSettings:\n${describeSettings(command.settings)}\n`);
    return 0;
  }
  try {
    const values = readSettings(command.settings, rest, process.env);
    await command.run(values, { env: process.env, signal: stopSignal(), stdout: process.stdout });
    return 0;
  } catch (error) {
    if (error instanceof SettingsError) {
      process.stderr.write(`muster ${name}: invalid settings\n`);
      for (const mistake of error.mistakes) process.stderr.write(`  ${mistake}\n`);
      return 2;
    }
    process.stderr.write(`muster ${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** Aborts at the first SIGTERM or SIGINT; a second one exits at once. */
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

// The reader of a pipe may close it early: `muster platform audit | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const code = await main(process.argv.slice(2));
// A write to a pipe is asynchronous, and exiting drops what has not been written.
await new Promise((done) => process.stdout.write("", done));
process.exit(code);
