import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Chapter } from "../chapter.ts";
import { showCommand } from "../command-line.ts";
import { type RowState, tableRow, whyNotReady } from "../object-table.ts";
import { formatDuration } from "../format-duration.ts";
import { nameOf } from "../watched-objects.ts";

const seconds = 20;

export const deletion: Chapter = {
  title: "Delete everything, the top group first",
  introduction:
    "The order is wrong again, on purpose. The operator deletes role bindings before identities, and a group when it is empty. It deletes each resource on the platform before Kubernetes removes the object.",
  run: async (stage, screen) => {
    showCommand(screen, "kubectl delete -f examples/");
    const names = stage.manifests.map(nameOf);
    const deletedBefore = stage.objects.deleted().length;
    const requested = new Map<string, number>();
    const states = new Map<string, RowState>();
    const rowOf = (name: string) =>
      tableRow(
        screen,
        names,
        name,
        states.get(name) ?? {
          is: "deleting",
          why: requested.has(name) ? whyNotReady(stage.objects.get(name)) : "",
        },
      );
    // Deleted objects come first, in the order of their deletion.
    const table = screen.live(() => [...states.keys(), ...names.filter((name) => !states.has(name))].map(rowOf));
    const allGone = stage.objects.until(() => {
      for (const object of stage.objects.deleted().slice(deletedBefore)) {
        const name = nameOf(object);
        if (states.has(name)) continue;
        states.set(name, { is: "deleted", after: formatDuration(performance.now() - (requested.get(name) ?? 0)) });
        table.update(rowOf(name));
      }
      table.update();
      return states.size === names.length;
    });
    const started = performance.now();
    for (const manifest of stage.manifests) {
      requested.set(nameOf(manifest), performance.now());
      await stage.during(`deleting ${nameOf(manifest)}`, seconds, stage.kube.delete(manifest));
    }
    await stage.during("waiting until all objects are deleted", seconds, allGone);
    const ms = performance.now() - started;
    table.end();
    checkOrder(stage.manifests, stage.objects.deleted().slice(deletedBefore).map(nameOf));
    const groups = await stage.during("listing the platform", 10, stage.platform.list("groups", stage.system.root));
    const remaining = groups.filter(({ uid }) => uid !== stage.system.root);
    if (remaining.length > 0) throw new Error(`the platform still has ${remaining.map(({ name }) => name).join(", ")}`);
    screen.say(`The platform has none of these resources any more, after ${formatDuration(ms)}.`);
    return [{ step: `delete ${names.length} objects, in the order of their references`, result: formatDuration(ms) }];
  },
};

/** @throws {Error} if an object was deleted before one that references it */
function checkOrder(manifests: readonly KubeObject[], deleted: readonly string[]): void {
  for (const { kind, metadata, spec } of manifests)
    for (const [of, reference] of [
      ["Group", spec.parentRef],
      ["Group", spec.groupRef],
      ["Identity", spec.identityRef],
    ] as const) {
      if (reference === undefined) continue;
      const [first, then] = [`${kind} ${metadata.name}`, `${of} ${reference.name}`];
      if (deleted.indexOf(first) > deleted.indexOf(then))
        throw new Error(`${then} was deleted before ${first}, which references it`);
    }
}
