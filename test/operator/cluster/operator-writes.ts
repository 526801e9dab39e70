import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { kindRef, type MusterKind, musterKinds } from "#test/support/harness/muster-objects.ts";

export interface OperatorWrites {
  stop(): Promise<void>;
}

/**
 * Watches a namespace, which is empty yet, for what the operator alone writes: finalizers and status.
 * `onWrite` is told the number of each write, from 1, once the watch shows it.
 */
export async function watchOperatorWrites(
  kube: KubeClient,
  namespace: string,
  onWrite: (number: number) => Promise<void>,
): Promise<OperatorWrites> {
  const end = new AbortController();
  const seen = new Map<string, string>();
  let count = 0;
  const follow = async (kind: MusterKind): Promise<void> => {
    for await (const { type, object } of kube.watch(kindRef(kind), { namespace, signal: end.signal })) {
      const key = `${kind} ${object.metadata.name} ${object.metadata.uid}`;
      const ours = type === "DELETED" ? "gone" : partOfOperator(object);
      if (ours !== (seen.get(key) ?? nothing)) await onWrite((count += 1));
      seen.set(key, ours);
    }
  };
  /** Just after a definition was made, its storage may not be there yet. */
  const followPatiently = (kind: MusterKind): Promise<void> =>
    follow(kind).catch(async (error: unknown) => {
      if (!(error instanceof KubeError) || error.code !== 429) throw error;
      await sleep(100);
      return followPatiently(kind);
    });
  const following = Promise.all(musterKinds.map(followPatiently));
  // Told by `stop`.
  following.catch(() => undefined);
  return {
    stop: async () => {
      end.abort();
      await following;
    },
  };
}

const partOfOperator = ({ metadata, ...rest }: Pick<KubeObject, "metadata"> & { status?: { conditions?: unknown } }) =>
  JSON.stringify([metadata.finalizers ?? [], rest.status?.conditions ?? []]);
const nothing = JSON.stringify([[], []]);
