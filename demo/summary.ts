import type { SummaryLine } from "./chapter.ts";
import type { Screen } from "./screen.ts";
import type { Counts } from "./stage.ts";
import { formatDuration } from "./format-duration.ts";

/** Shows the steps with their durations, and the operator's calls and writes. */
export function showSummary(screen: Screen, lines: readonly SummaryLine[], counts: Counts, ms: number): void {
  screen.show([""]);
  screen.say("Summary", { style: "bold", indent: 0 });
  const width = Math.max(...lines.map(({ step }) => step.length));
  screen.show(lines.map(({ step, result }) => `  ${screen.paint("green", "✓")} ${step.padEnd(width)}  ${result}`));
  const { platformCalls, objectWrites, kubernetesWrites } = counts;
  const writes =
    objectWrites === undefined
      ? `${kubernetesWrites} writes to Kubernetes, including events and the Lease`
      : `${objectWrites} writes to Muster objects in Kubernetes and ${kubernetesWrites - objectWrites} writes of events and the Lease`;
  screen.show([""]);
  screen.say(`Total time: ${formatDuration(ms)}. The operator made ${platformCalls} calls to the platform, ${writes}.`);
}
