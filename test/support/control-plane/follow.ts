import { setTimeout as sleep } from "node:timers/promises";
import type { KindRef, KubeClient, WatchEvent } from "./kube-client.ts";
import { KubeError } from "./kube-connection.ts";

const retryMs = 100;

/**
 * Watches the objects of a kind, in one namespace or in all of them, until `signal` aborts. The first events are an ADDED for each existing
 * object. The watch resumes when the API server ends it. It starts again, with an ADDED for each object, after 410 Gone
 * and after 429, which the API server sends just after a CRD was created.
 * @throws {KubeError} for every other error
 */
export async function* follow(
  kube: KubeClient,
  kind: KindRef,
  namespace: string | undefined,
  signal: AbortSignal,
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
      resourceVersion = undefined;
      await sleep(retryMs);
    }
  }
}
