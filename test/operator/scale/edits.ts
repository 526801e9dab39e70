import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { within } from "#test/support/within.ts";
import type { World } from "./world.ts";

const timeoutSeconds = 300;

/** How long edits took, in seconds, from the PATCH until Ready with the new generation. */
export interface EditTimes {
  readonly edits: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Edits the description of an object. @returns when the object was seen Ready with it */
export async function edit({ controlPlane, observer }: World, object: KubeObject, text: string): Promise<number> {
  const { metadata } = await controlPlane.admin.patch(object, { spec: { description: text } });
  const ready = observer.ready(object, metadata.generation ?? 0);
  return within(`editing ${object.kind} ${metadata.name}`, timeoutSeconds, ready);
}

/** Edits one object after the other, at least `least` times and while `goesOn`. */
export async function editOneByOne(
  world: World,
  objects: readonly KubeObject[],
  least: number,
  goesOn: () => boolean,
): Promise<EditTimes> {
  const described = objects.filter(({ kind }) => kind !== "RoleBinding");
  const times: number[] = [];
  while (times.length < least || goesOn()) {
    const object = described[times.length % described.length] as KubeObject;
    const startedAt = performance.now();
    const readyAt = await edit(world, object, `Edited at ${startedAt.toFixed(3)}`);
    times.push((readyAt - startedAt) / 1000);
  }
  return {
    edits: times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    max: percentile(times, 1),
  };
}
