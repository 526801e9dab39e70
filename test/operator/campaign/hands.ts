import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { collectionOf } from "#test/support/harness/comparison.ts";
import { isReady, musterObject, ref } from "#test/support/harness/muster-objects.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
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

/** An object that is as it shall be, and was for a while: no request that concerns its resource is on the way. */
export interface AtRest {
  readonly one: Declared;
  readonly object: KubeObject;
  readonly resource: PlatformResource;
}

/** Longer than a request may be late, and than a burst of edits. */
const quietMs = 3_000;

/**
 * A `wanted` object of one of the kinds, which an operation may delete, at rest. If there is none, an identity with a role is declared.
 * @throws {Error} if that does not become Ready
 */
export async function anyAtRest(
  hands: Hands,
  kinds: readonly Declared["kind"][],
  wanted: (object: KubeObject) => boolean = () => true,
): Promise<AtRest> {
  const { world, journal, random } = hands;
  const found = await findAtRest(hands, kinds, wanted);
  if (found !== undefined) return found;
  const namespace = random.pick(world.namespaces);
  const name = journal.newName("i");
  const groupUid = world.fixed.groups.shared;
  const grant = { groupUid, identityRef: { name }, roleRef: { name: "viewer" } };
  await declare(hands, musterObject("Identity", namespace, name, { groupUid, claimMatch: { issuer, subject: name } }));
  await declare(hands, musterObject("RoleBinding", namespace, name, grant));
  const kind = kinds.includes("Identity") ? "Identity" : "RoleBinding";
  await world.kube.waitFor(ref(kind, namespace, name), isReady, { timeoutMs: 20_000 });
  await sleep(quietMs);
  const declared = await atRest(hands, { kind, namespace, name });
  if (declared === undefined) throw new Error(`${kind} ${name} is not at rest`);
  return declared;
}

/** As `anyAtRest`; undefined if there is none. */
export async function findAtRest(
  hands: Hands,
  kinds: readonly Declared["kind"][],
  wanted: (object: KubeObject) => boolean = () => true,
): Promise<AtRest | undefined> {
  const { journal, random } = hands;
  const candidates = [...journal.declared.values()].filter(({ kind, isKept }) => kinds.includes(kind) && !isKept);
  for (const one of random.shuffled(candidates)) {
    const found = await atRest(hands, one);
    if (found !== undefined && wanted(found.object)) return found;
  }
  return undefined;
}

/** Whether the claims with which an identity is assumed are part of its spec. */
export function hasClaims({ spec }: KubeObject): boolean {
  return spec.claimMatch !== undefined;
}

async function atRest(hands: Hands, one: Declared): Promise<AtRest | undefined> {
  const { world, journal } = hands;
  const object = await world.kube.find(refOf(one));
  const uid: string | undefined = object?.["status"]?.uid;
  if (object === undefined || uid === undefined || !isReady(object)) return undefined;
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const collection = collectionOf[one.kind];
  if (journal.handMadeWith(collection, uid) !== undefined) return undefined;
  await world.proxy.settled();
  const resource = await world.platform.get(collection, uid).catch(() => undefined);
  if (resource === undefined || Date.now() - Date.parse(resource["updateTime"] ?? resource["createTime"]) < quietMs)
    return undefined;
  return { one, object, resource };
}

/** A namespace that no operation deletes. */
export function keptNamespace({ journal, random }: Hands): string {
  return random.pick([...journal.declared.values()].filter(({ isKept }) => isKept)).namespace;
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
