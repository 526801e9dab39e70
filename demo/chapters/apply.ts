import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import type { Chapter } from "../chapter.ts";
import { showCommand } from "../command-line.ts";
import { type RowState, tableRow, whyNotReady } from "../object-table.ts";
import type { Screen } from "../screen.ts";
import type { Stage } from "../stage.ts";
import { formatDuration } from "../format-duration.ts";
import { nameOf } from "../watched-objects.ts";

const seconds = 20;

export const apply: Chapter = {
  title: "Apply the examples, in reverse order",
  introduction:
    "The manifests describe groups, identities and role bindings. The role bindings come first and the top group last. Each object waits for the objects that it references, so the order does not matter.",
  run: async (stage, screen) => {
    showCommand(screen, "kubectl apply -f examples/   # with the uid of the root group");
    const before = await stage.during("reading the operator's metrics", 10, stage.counts());
    const ms = await applyAndWatch(stage, screen, stage.manifests.toReversed());
    const after = await stage.during("reading the operator's metrics", 10, stage.counts());
    const objects = stage.manifests.length;
    const writes =
      before.objectWrites === undefined || after.objectWrites === undefined
        ? ""
        : `, and ${after.objectWrites - before.objectWrites} writes to Kubernetes`;
    const calls = after.platformCalls - before.platformCalls;
    const creations = after.creations - before.creations;
    screen.say(
      `All ${objects} objects are Ready after ${formatDuration(ms)}. The operator made ${calls} calls to the platform (${creations} to create resources, the others to authenticate and to read)${writes}.`,
    );
    return [{ step: `apply ${objects} manifests, until all are Ready`, result: formatDuration(ms) }];
  },
};

/** Applies the manifests and shows how each object becomes Ready. @returns the time until all were Ready, in ms */
export async function applyAndWatch(stage: Stage, screen: Screen, manifests: readonly KubeObject[]): Promise<number> {
  const names = manifests.map(nameOf);
  const applied = new Map<string, number>();
  const states = new Map<string, RowState>();
  const stateOf = (name: string): RowState =>
    states.get(name) ?? { is: "waiting", why: applied.has(name) ? whyNotReady(stage.objects.get(name)) : "" };
  const rowOf = (name: string) => tableRow(screen, names, name, stateOf(name));
  const table = screen.live(() => names.map(rowOf));
  const allReady = stage.objects.until(() => {
    for (const name of names) {
      const since = applied.get(name);
      if (since === undefined || states.has(name) || !isReady(stage.objects.get(name))) continue;
      states.set(name, { is: "ready", after: formatDuration(performance.now() - since) });
      table.update(rowOf(name));
    }
    table.update();
    return states.size === names.length;
  });
  const started = performance.now();
  for (const manifest of manifests) {
    applied.set(nameOf(manifest), performance.now());
    await stage.during(
      `applying ${nameOf(manifest)}`,
      seconds,
      stage.kube.apply(manifest, { fieldManager: "muster-demo" }),
    );
  }
  await stage.during("waiting until all objects are Ready", seconds, allReady);
  const ms = performance.now() - started;
  table.end();
  return ms;
}
