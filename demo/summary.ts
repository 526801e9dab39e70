import type { Shown } from "./chapter.ts";
import type { Screen } from "./screen.ts";
import type { Counts } from "./stage.ts";
import { formatDuration } from "./format-duration.ts";

/** What was shown, how long each took, and what it cost. */
export function showSummary(screen: Screen, shown: readonly Shown[], counts: Counts, ms: number): void {
  screen.show([""]);
  screen.say("What you have seen", { style: "bold", indent: 0 });
  const width = Math.max(...shown.map(({ what }) => what.length));
  screen.show(shown.map(({ what, result }) => `  ${screen.paint("green", "✓")} ${what.padEnd(width)}  ${result}`));
  const { platformCalls, objectWrites, kubernetesWrites } = counts;
  const writes =
    objectWrites === undefined
      ? `${kubernetesWrites} writes to Kubernetes, events and the Lease included`
      : `${objectWrites} writes to Muster objects in Kubernetes, and ${kubernetesWrites - objectWrites} for events and the Lease`;
  screen.show([""]);
  screen.say(
    `All of it in ${formatDuration(ms)}. The operator made ${platformCalls} calls to the platform, ${writes}.`,
  );
}
