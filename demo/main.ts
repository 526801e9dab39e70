import { readCommandLine } from "#test/support/command-line.ts";
import { demo } from "./demo.ts";
import { Interrupted } from "./interrupted.ts";
import { LiveScreen } from "./live-screen.ts";
import { readOptions, usage } from "./options.ts";
import { PlainScreen } from "./plain-screen.ts";

/** npm forwards a signal that the terminal has also sent to us. A second one this soon after the first is that copy. */
const duplicateSignalMs = 1_000;

const options = readCommandLine({ name: "demo", usage }, (args) => readOptions(args, process.env));
const { stdout, env } = process;
const screen = stdout.isTTY && env["TERM"] !== "dumb" ? new LiveScreen(stdout) : new PlainScreen(stdout);
process.once("exit", () => screen.close());
// The reader of the pipe has closed it, as in `npm run demo | head`.
stdout.on("error", () => process.exit(1));
process.exit(await demo(options, screen, interruption()));

/** Aborted by the first signal. A second one exits at once. */
function interruption(): AbortController {
  const controller = new AbortController();
  let first: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      first ??= performance.now();
      if (performance.now() - first > duplicateSignalMs) process.exit(130);
      controller.abort(new Interrupted());
    });
  return controller;
}
