import { follow } from "#test/support/control-plane/follow.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { allMusterKinds, type AnyMusterKind, kindRef } from "#test/support/harness/muster-objects.ts";

export interface OperatorWrites {
  stop(): Promise<void>;
}

/**
 * Counts the operator's writes in a namespace, which must be empty: changes of finalizers and status.
 * @param onWrite called with the number of each write, from 1, when the watch delivers it
 */
export async function watchOperatorWrites(
  kube: KubeClient,
  namespace: string,
  onWrite: (number: number) => Promise<void>,
): Promise<OperatorWrites> {
  const stop = new AbortController();
  const seen = new Map<string, string>();
  let count = 0;
  const followKind = async (kind: AnyMusterKind): Promise<void> => {
    for await (const { type, object } of follow(kube, kindRef(kind), namespace, stop.signal)) {
      const key = `${kind} ${object.metadata.name} ${object.metadata.uid}`;
      const written = type === "DELETED" ? "deleted" : operatorFields(object);
      if (written !== (seen.get(key) ?? none)) await onWrite((count += 1));
      seen.set(key, written);
    }
  };
  const following = Promise.all(allMusterKinds.map(followKind));
  // `stop` reports a failure.
  following.catch(() => undefined);
  return {
    stop: async () => {
      stop.abort();
      await following;
    },
  };
}

const operatorFields = ({ metadata, ...rest }: Pick<KubeObject, "metadata"> & { status?: { conditions?: unknown } }) =>
  JSON.stringify([metadata.finalizers ?? [], rest.status?.conditions ?? []]);
const none = JSON.stringify([[], []]);
