import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { within } from "#test/support/within.ts";
import type { World } from "./world.ts";

const timeoutSeconds = 600;

/** One edit. Times are in seconds from the PATCH. */
export interface Edit {
  readonly kind: string;
  readonly name: string;
  readonly description: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** Until the API server responded to the PATCH. */
  readonly patched: number;
  /** Until the object was seen Ready with the new generation. */
  readonly ready: number;
}

/** Edits the description of an object, and waits until it is Ready with it. */
async function edit({ controlPlane, observer }: World, object: KubeObject): Promise<Edit> {
  const at = Date.now();
  const startedAt = performance.now();
  const description = `Edited at ${startedAt.toFixed(3)}`;
  const { metadata } = await controlPlane.admin.patch(object, { spec: { description } });
  const patchedAt = performance.now();
  const { kind } = object;
  const { name } = metadata;
  const ready = observer.ready(object, metadata.generation ?? 0);
  const readyAt = await within(`editing ${kind} ${name}`, timeoutSeconds, ready);
  return { kind, name, description, at, patched: (patchedAt - startedAt) / 1000, ready: (readyAt - startedAt) / 1000 };
}

/** The objects that have a description to edit. */
export function described(objects: readonly KubeObject[]): KubeObject[] {
  return objects.filter(({ kind }) => kind !== "RoleBinding");
}

/** Edits one object after the other, at least `least` times and while `goesOn`. */
export async function editOneByOne(
  world: World,
  objects: readonly KubeObject[],
  least: number,
  goesOn: () => boolean = () => false,
): Promise<Edit[]> {
  const edits: Edit[] = [];
  while (edits.length < least || goesOn())
    edits.push(await edit(world, objects[edits.length % objects.length] as KubeObject));
  return edits;
}

/** Edits one object after the other, at least `least` times and until the load has ended. @throws the error of the load */
export async function editDuring(
  world: World,
  objects: readonly KubeObject[],
  least: number,
  load: (signal: AbortSignal) => Promise<unknown>,
): Promise<Edit[]> {
  const ended = new AbortController();
  let goesOn = true;
  const loading = load(ended.signal).finally(() => {
    goesOn = false;
  });
  loading.catch(() => {});
  try {
    const times = await editOneByOne(world, objects, least, () => goesOn);
    await loading;
    return times;
  } finally {
    ended.abort();
  }
}

/** The median and the 99th percentile of the times until Ready, in milliseconds. */
export function readyMilliseconds(edits: readonly Edit[]): [p50: number, p99: number] {
  const times = edits.map(({ ready }) => ready * 1000);
  return [percentile(times, 0.5), percentile(times, 0.99)];
}
