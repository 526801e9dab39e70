import buildProgram from "#test/support/harness/build-program.ts";
import { readCommandLine } from "#test/support/command-line.ts";
import { readOptions, usage } from "./options.ts";

const options = readCommandLine({ name: "campaign", usage }, readOptions);
// The processes end when this one exits, but not when a signal ends it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

// Each process that runs, of each round, waits for the exit.
process.setMaxListeners(0);

// What starts processes reads which program they run when it is imported: the bundle starts with a third of the CPU time.
const removeProgram = await buildProgram();
const { runRounds } = await import("./rounds.ts");
const isPassed = await runRounds(options, (line) => void process.stdout.write(`${line}\n`));
await removeProgram?.();
process.exit(isPassed ? 0 : 1);
