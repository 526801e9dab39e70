import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { ref } from "#test/support/harness/muster-objects.ts";
import type { Random } from "#test/platform/fuzz/random.ts";
import type { Declared, Journal } from "./journal.ts";
import type { World } from "./world.ts";

/** What an operation works on. */
export interface Hands {
  readonly world: World;
  readonly journal: Journal;
  readonly random: Random;
  /** The statuses that were seen, to restore them. */
  readonly statuses: { readonly of: Declared; readonly uid: string; readonly status: object }[];
}

export type Operation = (hands: Hands) => Promise<void>;

export const issuer = "https://issuer.example";

/** Reads an object, and remembers its status. */
export async function seen({ world, statuses }: Hands, one: Declared): Promise<KubeObject> {
  const object = await world.kube.get(refOf(one));
  if (object["status"]?.uid !== undefined && statuses.length < 1_000)
    statuses.push({ of: one, uid: object.metadata.uid ?? "", status: object["status"] });
  return object;
}

/** An object of one of the kinds. @throws {Error} if there is none */
export function anyOf({ journal, random }: Hands, ...kinds: Declared["kind"][]): Declared {
  return random.pick([...journal.declared.values()].filter(({ kind }) => kinds.includes(kind)));
}

/** An object of one of the kinds that an operation may delete. @throws {Error} if there is none */
export function anyToDelete({ journal, random }: Hands, ...kinds: Declared["kind"][]): Declared {
  return random.pick([...journal.declared.values()].filter(({ kind, isKept }) => kinds.includes(kind) && !isKept));
}

export const refOf = ({ kind, namespace, name }: Declared) => ref(kind, namespace, name);

export async function declare(
  { world, journal }: Hands,
  object: KubeObject,
  more: Pick<Declared, "isKept"> = {},
): Promise<void> {
  const { name, namespace = "" } = object.metadata;
  journal.declare({ kind: object.kind as Declared["kind"], namespace, name, ...more });
  await world.kube.apply(object);
}
