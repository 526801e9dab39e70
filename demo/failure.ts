import type { LogLine, MusterProcess } from "#test/support/harness/muster-process.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { whyNotReady } from "./object-table.ts";
import type { Stage } from "./stage.ts";
import { nameOf } from "./watched-objects.ts";

const logLines = 10;

/** The objects that are not Ready, and the operator's last output. */
export function describeFailure(stage: Stage): string[] {
  const unready = stage.objects
    .all()
    .filter((object) => !isReady(object) || object.metadata.deletionTimestamp !== undefined);
  return [
    ...(unready.length === 0
      ? []
      : [
          "Objects that are not Ready, or are being deleted:",
          ...unready.map((object) => `  ${nameOf(object)}: ${whyNotReady(object)}`),
        ]),
    ...lastLines("The operator's last output:", stage.operator.process),
  ];
}

export function lastLines(title: string, process: MusterProcess): string[] {
  const lines = process.log.slice(-logLines).map((line) => `  ${readable(line)}`);
  const output = process.plainOutput.trimEnd();
  return lines.length === 0 && output === "" ? [] : [title, ...lines, ...(output === "" ? [] : [`  ${output}`])];
}

/** A line of the log for a terminal: time, level, message and fields. */
function readable({ time, level, msg, ...fields }: LogLine): string {
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [String(time).slice(11, 19), level, msg, ...rest].join(" ");
}
