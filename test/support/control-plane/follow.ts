import { setTimeout as sleep } from "node:timers/promises";
import type { KindRef, KubeClient, WatchEvent } from "./kube-client.ts";
import { KubeError } from "./kube-connection.ts";

const retryMs = 100;

/**
 * Watches the objects of a kind, in one namespace or in all of them, until `signal` aborts. The first events are an ADDED for each existing
 * object. The watch resumes when the API server ends it. It starts again, with an ADDED for each object, after 410 Gone
 * and after 429, which the API server sends just after a CRD was created.
 * @param onRestart called before it starts again: the events since the last one are lost, those of deletions, too. It returns
 * the version to start from instead, after which no event is lost; undefined: with an ADDED for each object.
 * @throws {KubeError} for every other error
 */
export async function* follow(
  kube: KubeClient,
  kind: KindRef,
  namespace: string | undefined,
  signal: AbortSignal,
  onRestart: () => Promise<string | undefined> = async () => undefined,
): AsyncGenerator<WatchEvent> {
  let resourceVersion: string | undefined;
  while (!signal.aborted) {
    const from = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    try {
      for await (const event of kube.watch(kind, { signal, ...from })) {
        resourceVersion = event.object.metadata.resourceVersion;
        yield event;
      }
    } catch (error) {
      if (!(error instanceof KubeError && [410, 429].includes(error.code))) throw error;
      await sleep(retryMs);
      resourceVersion = await onRestart();
    }
  }
}
