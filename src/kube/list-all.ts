import type { KubeApi } from "./api.ts";
import { isNotFound } from "./errors.ts";
import type { KubeList, KubeObject, ResourceKind } from "./object.ts";

const pageSize = 500;

const noObjects: KubeList<never> = { metadata: {}, items: [] };

/** All objects of a resource in all namespaces, page by page; none if its CRD does not exist. */
export async function* listAll<T extends KubeObject>(
  kube: Pick<KubeApi, "list">,
  resource: ResourceKind,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let next: string | undefined;
  do {
    const page: KubeList<T> = await kube
      .list<T>(resource, { signal, limit: pageSize, ...(next === undefined ? {} : { continue: next }) })
      .catch((error: unknown) => {
        if (isNotFound(error)) return noObjects;
        throw error;
      });
    yield* page.items;
    next = page.metadata.continue || undefined;
  } while (next !== undefined);
}
