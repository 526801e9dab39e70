import type { LogLine, MusterProcess } from "#test/support/harness/muster-process.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { whyNotReady } from "./object-table.ts";
import type { Stage } from "./stage.ts";
import { nameOf } from "./watched-objects.ts";

const logLines = 10;

/** What helps to find out why the story stopped: how the objects are, and what the operator said last. */
export function describeFailure(stage: Stage): string[] {
  const unready = stage.objects
    .all()
    .filter((object) => !isReady(object) || object.metadata.deletionTimestamp !== undefined);
  return [
    ...(unready.length === 0
      ? []
      : ["Objects that are not Ready:", ...unready.map((one) => `  ${nameOf(one)}: ${whyNotReady(one)}`)]),
    ...lastLines("The operator's last lines:", stage.operator.process),
  ];
}

export function lastLines(title: string, process: MusterProcess): string[] {
  const lines = process.log.slice(-logLines).map((line) => `  ${readable(line)}`);
  const said = process.plainOutput.trimEnd();
  return lines.length === 0 && said === "" ? [] : [title, ...lines, ...(said === "" ? [] : [`  ${said}`])];
}

/** A line of the log for people: the time, how bad, what, and then its fields. */
function readable({ time, level, msg, ...fields }: LogLine): string {
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [String(time).slice(11, 19), level, msg, ...rest].join(" ");
}
