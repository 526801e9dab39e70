// Tests a platform against the requirements of the contract. See README.md in this folder.
import { writeFile } from "node:fs/promises";
import { SettingsError } from "#src/commands/settings/settings.ts";
import { redacted } from "./client/transcript.ts";
import { Connection } from "./connection.ts";
import { count, jsonOf, Report, summaryOf } from "./report.ts";
import { run } from "./run.ts";
import { type Command, readCommand, usage } from "./settings.ts";
import { sections, select, trialsOf } from "./suite.ts";
import { tableOf } from "./table.ts";

const write = (text: string) => void process.stdout.write(text);

try {
  process.exitCode = await execute(readCommand(process.argv.slice(2)));
} catch (error) {
  const isMistake = error instanceof SettingsError;
  const lines = isMistake ? error.mistakes : [(error as Error).message];
  for (const line of lines) process.stderr.write(`conformance: ${line}\n`);
  process.exitCode = isMistake ? 2 : 1;
}

/** @returns the exit code */
async function execute(command: Command): Promise<number> {
  switch (command.kind) {
    case "help":
      write(usage);
      return 0;
    case "list": {
      const report = new Report(write, (text) => text);
      for (const trial of select(trialsOf(sections), command.pattern)) report.list(trial);
      return 0;
    }
    case "table":
      await writeFile(command.file, tableOf(sections));
      return 0;
    case "run":
      return runAll(command);
  }
}

async function runAll({ target, parallel, json, pattern }: Command & { kind: "run" }): Promise<number> {
  const trials = select(trialsOf(sections), pattern);
  if (trials.length === 0)
    throw new SettingsError([`--case: no case matches "${pattern}"; use --list to see all cases`]);
  const stop = new AbortController();
  // npm repeats the signal that the terminal has already sent: a second one must not end the cleanup.
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => {
      if (!stop.signal.aborted)
        process.stderr.write(`conformance: ${name}: deleting everything that the run created\n`);
      stop.abort();
    });
  const redact = (text: string) => redacted(text, new Set([target.token]));
  const report = new Report(write, redact);
  const connection = new Connection(target);
  try {
    const options = { connection, parallel, signal: stop.signal, onResult: report.add.bind(report) };
    const results = await run(trials, options);
    if (json !== undefined) await writeFile(json, jsonOf(target.url, results, redact));
    write(summaryOf(results, trials.length));
    return count(results).failed === 0 && !stop.signal.aborted ? 0 : 1;
  } finally {
    await connection.close();
  }
}
