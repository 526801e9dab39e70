// Tries a platform against the sentences of the contract. See README.md beside this file.
import { writeFile } from "node:fs/promises";
import { SettingsError } from "#src/commands/settings/settings.ts";
import { redacted } from "./client/transcript.ts";
import { Connection } from "./connection.ts";
import { count, jsonOf, Report, summaryOf } from "./report.ts";
import { run } from "./run.ts";
import { type Order, readOrder, usage } from "./settings.ts";
import { chapters, select, trialsOf } from "./suite.ts";
import { tableOf } from "./table.ts";

const write = (text: string) => void process.stdout.write(text);

try {
  process.exitCode = await obey(readOrder(process.argv.slice(2)));
} catch (error) {
  const lines = error instanceof SettingsError ? error.mistakes : [(error as Error).message];
  for (const line of lines) process.stderr.write(`conformance: ${line}\n`);
  process.exitCode = 1;
}

/** @returns the exit code */
async function obey(order: Order): Promise<number> {
  switch (order.kind) {
    case "help":
      write(usage);
      return 0;
    case "list": {
      const report = new Report(write, (text) => text);
      for (const trial of select(trialsOf(chapters), order.pattern)) report.list(trial);
      return 0;
    }
    case "table":
      await writeFile(order.file, tableOf(chapters));
      return 0;
    case "run":
      return runAll(order);
  }
}

async function runAll({ target, parallel, json, pattern }: Order & { kind: "run" }): Promise<number> {
  const trials = select(trialsOf(chapters), pattern);
  if (trials.length === 0) throw new Error(`--case: no case matches "${pattern}"; --list shows all`);
  const stop = new AbortController();
  // Not once: npm passes on what the terminal has sent already, and the second must not cut the cleaning short.
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => {
      if (!stop.signal.aborted) process.stderr.write(`conformance: ${name}: deleting what was made\n`);
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
