import { defineCommand } from "#src/commands/command.ts";
import operate from "#src/commands/operator/start.ts";
import { anyOutput } from "#src/commands/output/output-format.ts";
import { maxObjects } from "#src/commands/reader/object-limit.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { kinds } from "#src/kinds/kinds.ts";

/** `muster operator`: reconciles, or says what it would do. */
export default defineCommand({
  ...operate,
  hasOwnExitCodes: (args) => args.some((argument) => argument.startsWith("--dry-run")),
  description: `With --dry-run, it prints what it would do if it started now, with its own settings and credentials, and ends. It then takes no Lease and writes nothing. It has the exit codes of muster plan.`,
  settings: {
    ...operate.settings,
    dryRun: settings.flagOnly(settings.toggle("Print what would be done, in order, and end without a write.")),
    maxObjects,
    output: settings.flagOnly({ ...anyOutput("table"), help: "The format of what --dry-run prints." }),
  },
  run: async (values, context) => {
    if (!values.dryRun) return operate.run(values, context);
    const { dryRun } = await import("./dry-run.ts");
    return dryRun(values, kinds, context);
  },
});
