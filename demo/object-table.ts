import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { conditionOf, isReady } from "#test/support/harness/muster-objects.ts";
import type { Screen } from "./screen.ts";

/** The state of an object in the table. */
export type RowState =
  | { readonly is: "waiting"; readonly why: string }
  | { readonly is: "ready"; readonly after: string }
  | { readonly is: "deleting"; readonly why: string }
  | { readonly is: "deleted"; readonly after: string };

const marks = { waiting: "…", ready: "✓", deleting: "…", deleted: "✓" } as const;
const styles = { waiting: "yellow", ready: "green", deleting: "yellow", deleted: "green" } as const;

/** The line of one object. */
export function tableRow(screen: Screen, names: readonly string[], name: string, state: RowState): string {
  const width = Math.max(...names.map((text) => text.length));
  const text =
    state.is === "ready"
      ? `Ready after ${state.after}`
      : state.is === "deleted"
        ? `deleted after ${state.after}`
        : state.why;
  const mark = screen.paint(styles[state.is], marks[state.is]);
  return `  ${mark} ${name.padEnd(width)}  ${screen.paint(state.is === "waiting" ? "dim" : styles[state.is], text)}`;
}

/** Why an object is not Ready, in one line. */
export function whyNotReady(object: KubeObject | undefined): string {
  if (object === undefined) return "does not exist";
  const ready = conditionOf(object, "Ready");
  const { deletionTimestamp, generation = 0 } = object.metadata;
  const isCurrent = ready !== undefined && ready.observedGeneration >= generation;
  const why = isCurrent ? `${ready.reason}: ${ready.message}` : undefined;
  // A deletion is a new generation, and most objects are gone before they have a status for it.
  if (deletionTimestamp !== undefined)
    return why === undefined || isReady(object) ? "being deleted" : `being deleted; ${why}`;
  if (ready === undefined) return "no status yet";
  return why ?? "status is for an older spec";
}
