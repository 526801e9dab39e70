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
  /** The slowest ones. */
  readonly slowest: readonly EditTime[];
}

/** One edit, in seconds. */
export interface EditTime {
  readonly kind: string;
  readonly name: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** Until the API server responded to the PATCH. */
  readonly patched: number;
  /** Until the object was seen Ready with it. */
  readonly ready: number;
}

const slowestKept = 10;

/** Edits the description of an object, and waits until it is Ready with it. */
async function edit({ controlPlane, observer }: World, object: KubeObject): Promise<EditTime> {
  const at = Date.now();
  const startedAt = performance.now();
  const description = `Edited at ${startedAt.toFixed(3)}`;
  const { metadata } = await controlPlane.admin.patch(object, { spec: { description } });
  const patchedAt = performance.now();
  const { kind } = object;
  const { name } = metadata;
  const ready = observer.ready(object, metadata.generation ?? 0);
  const readyAt = await within(`editing ${kind} ${name}`, timeoutSeconds, ready);
  return { kind, name, at, patched: (patchedAt - startedAt) / 1000, ready: (readyAt - startedAt) / 1000 };
}

/** Edits one object after the other, at least `least` times and while `goesOn`. */
export async function editOneByOne(
  world: World,
  objects: readonly KubeObject[],
  least: number,
  goesOn: () => boolean,
): Promise<EditTimes> {
  const described = objects.filter(({ kind }) => kind !== "RoleBinding");
  const edits: EditTime[] = [];
  while (edits.length < least || goesOn())
    edits.push(await edit(world, described[edits.length % described.length] as KubeObject));
  const times = edits.map(({ ready }) => ready);
  return {
    edits: edits.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    max: percentile(times, 1),
    slowest: edits.toSorted((one, other) => other.ready - one.ready).slice(0, slowestKept),
  };
}
