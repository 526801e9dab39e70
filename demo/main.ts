import { demo } from "./demo.ts";
import { LiveScreen } from "./live-screen.ts";
import { OptionsError, readOptions, usage } from "./options.ts";
import { PlainScreen } from "./plain-screen.ts";
import { Interrupted } from "./interrupted.ts";

/** npm passes on a signal that the terminal has sent to us as well: so soon after the first it is no second one. */
const sameSignalMs = 1_000;

process.exit(await main());

async function main(): Promise<number> {
  let options;
  try {
    options = readOptions(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    process.stderr.write(`demo: ${error.message}\n\n${usage}`);
    return 2;
  }
  if (options === "help") {
    process.stdout.write(usage);
    return 0;
  }
  const { stdout, env } = process;
  const screen = stdout.isTTY && env["TERM"] !== "dumb" ? new LiveScreen(stdout) : new PlainScreen(stdout);
  process.once("exit", () => screen.close());
  // Who reads us has gone, as in `npm run demo | head`: there is nobody left to show anything to.
  stdout.on("error", () => process.exit(1));
  return demo(options, screen, interruption());
}

/** Aborted by the first signal; a second one ends the process at once. */
function interruption(): AbortController {
  const controller = new AbortController();
  let first: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      first ??= performance.now();
      if (performance.now() - first > sameSignalMs) process.exit(130);
      controller.abort(new Interrupted());
    });
  return controller;
}
