import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { conditionOf, isReady } from "#test/support/harness/muster-objects.ts";
import type { Screen } from "./screen.ts";

/** What the table tells of one object. */
export type RowState =
  | { readonly is: "waiting"; readonly why: string }
  | { readonly is: "ready"; readonly after: string }
  | { readonly is: "deleting"; readonly why: string }
  | { readonly is: "gone"; readonly after: string };

const marks = { waiting: "…", ready: "✓", deleting: "…", gone: "✓" } as const;
const styles = { waiting: "yellow", ready: "green", deleting: "yellow", gone: "green" } as const;

/** One line an object. */
export function tableRow(screen: Screen, names: readonly string[], name: string, state: RowState): string {
  const width = Math.max(...names.map((one) => one.length));
  const text =
    state.is === "ready" ? `Ready after ${state.after}` : state.is === "gone" ? `gone after ${state.after}` : state.why;
  const mark = screen.paint(styles[state.is], marks[state.is]);
  return `  ${mark} ${name.padEnd(width)}  ${screen.paint(state.is === "waiting" ? "dim" : styles[state.is], text)}`;
}

/** Why an object is not Ready, in one line. */
export function whyNotReady(object: KubeObject | undefined): string {
  if (object === undefined) return "not there";
  const ready = conditionOf(object, "Ready");
  const { deletionTimestamp, generation = 0 } = object.metadata;
  const deleting = deletionTimestamp === undefined ? "" : "is being deleted; ";
  if (ready === undefined) return `${deleting}has no status yet`;
  if (ready.observedGeneration < generation) return `${deleting}its newest spec has not been looked at yet`;
  if (isReady(object)) return `${deleting}Ready`;
  return `${deleting}${ready.reason}: ${ready.message}`;
}
