#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";
import type { Terminal } from "./commands/command.ts";
import { commands } from "./commands.ts";

/** What an installed build runs with is the user's own Node.js: an older one fails where it lacks something, and does not say why. */
const requiredNode = 24;

/** Longer lines are hard to read. */
const maximumColumns = 100;

/** As a plugin of kubectl, the program is called by the name of a link, which the launcher of a checkout passes on. */
function programName(): string {
  const calledAs = process.env["MUSTER_CALLED_AS"] ?? process.argv[1] ?? "";
  return calledAs.endsWith("kubectl-muster") ? "kubectl muster" : "muster";
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

function terminal(): Terminal {
  const { isTTY, columns } = process.stdout;
  const given = Number.parseInt(process.env["COLUMNS"] ?? "", 10);
  const tableColumns = isTTY && columns > 0 ? columns : undefined;
  const width = tableColumns ?? (given > 0 ? given : 80);
  // Node reads NO_COLOR, FORCE_COLOR and TERM.
  return {
    columns: Math.min(width, maximumColumns),
    ...(tableColumns === undefined ? {} : { tableColumns }),
    colors: isTTY && process.stdout.hasColors(),
  };
}

if (Number.parseInt(process.versions.node, 10) < requiredNode) {
  process.stderr.write(
    `${programName()}: Node.js ${requiredNode} or later is required, and this is ${process.versions.node}. Install it from https://nodejs.org\n`,
  );
  process.exit(1);
}

// The reader of a pipe may close it early: `muster platform audit | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const code = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  signal: stopSignal(),
  // Opened only by a command that reads it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  terminal: terminal(),
  commands,
  program: programName(),
});
// A write to a pipe is asynchronous, and exiting drops what has not been written.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write("", done))));
process.exit(code);
