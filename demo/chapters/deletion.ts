import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Chapter } from "../chapter.ts";
import { showCommand } from "../command-line.ts";
import { type RowState, tableRow, whyNotReady } from "../object-table.ts";
import { formatDuration } from "../format-duration.ts";
import { nameOf } from "../watched-objects.ts";

const seconds = 20;

export const deletion: Chapter = {
  title: "Delete everything, from the top",
  about:
    "Asked for in the wrong order again. Bindings go before identities and groups when they are empty, on the platform first; only then does Kubernetes forget the object.",
  play: async (stage, screen) => {
    showCommand(screen, "kubectl delete -f examples/");
    const names = stage.manifests.map(nameOf);
    const known = stage.objects.deleted().length;
    const asked = new Map<string, number>();
    const states = new Map<string, RowState>();
    const rowOf = (name: string) =>
      tableRow(
        screen,
        names,
        name,
        states.get(name) ?? {
          is: "deleting",
          why: asked.has(name) ? whyNotReady(stage.objects.get(name)) : "",
        },
      );
    // Those that are gone stay on top, in the order in which they went.
    const table = screen.live(() => [...states.keys(), ...names.filter((name) => !states.has(name))].map(rowOf));
    const allGone = stage.objects.until(() => {
      for (const object of stage.objects.deleted().slice(known)) {
        const name = nameOf(object);
        if (states.has(name)) continue;
        states.set(name, { is: "gone", after: formatDuration(performance.now() - (asked.get(name) ?? 0)) });
        table.update(rowOf(name));
      }
      table.update();
      return states.size === names.length;
    });
    const started = performance.now();
    for (const manifest of stage.manifests) {
      asked.set(nameOf(manifest), performance.now());
      await stage.during(`deleting ${nameOf(manifest)}`, seconds, stage.kube.delete(manifest));
    }
    await stage.during("until all objects are gone", seconds, allGone);
    const ms = performance.now() - started;
    table.end();
    checkOrder(stage.manifests, stage.objects.deleted().slice(known).map(nameOf));
    const left = await stage.during("listing the platform", 10, stage.platform.list("groups", stage.system.root));
    const ours = left.filter(({ uid }) => uid !== stage.system.root);
    if (ours.length > 0) throw new Error(`the platform still has ${ours.map(({ name }) => name).join(", ")}`);
    screen.say(`The platform has none of them any more. That took ${formatDuration(ms)}.`);
    return [{ what: `${names.length} objects deleted, in the right order`, result: formatDuration(ms) }];
  },
};

/** @throws if an object went before one that refers to it */
function checkOrder(manifests: readonly KubeObject[], gone: readonly string[]): void {
  for (const { kind, metadata, spec } of manifests)
    for (const [of, reference] of [
      ["Group", spec.parentRef],
      ["Group", spec.groupRef],
      ["Identity", spec.identityRef],
    ] as const) {
      if (reference === undefined) continue;
      const [first, then] = [`${kind} ${metadata.name}`, `${of} ${reference.name}`];
      if (gone.indexOf(first) > gone.indexOf(then)) throw new Error(`${then} went before ${first}, which refers to it`);
    }
}
