import { defineCommand } from "#src/commands/command.ts";
import { anyOutput, formatValue } from "#src/commands/output/output-format.ts";
import { buildInfo } from "#src/telemetry/build-info.ts";

export default defineCommand({
  summary: "print the version of muster, the commit that it was built from, and the version of Node.js",
  settings: { output: anyOutput("table") },
  run: async ({ output }, { stdout }) => {
    const value = { ...buildInfo, node: process.versions.node };
    stdout.write(await formatValue(output, value, Object.entries(value)));
  },
});
