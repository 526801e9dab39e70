import type { KubeApi } from "./api.ts";
import { isNotFound } from "./errors.ts";
import type { KubeList, KubeObject, ResourceKind } from "./object.ts";

const pageSize = 500;

/**
 * All objects of a resource, page by page.
 * @param namespace absent: of all namespaces
 * @throws {KubeError} also if its CRD does not exist
 */
export async function* listExisting<T extends KubeObject>(
  kube: Pick<KubeApi, "list">,
  resource: ResourceKind,
  signal: AbortSignal,
  namespace?: string,
): AsyncGenerator<T> {
  let next: string | undefined;
  do {
    const page: KubeList<T> = await kube.list<T>(resource, {
      signal,
      limit: pageSize,
      ...(namespace === undefined ? {} : { namespace }),
      ...(next === undefined ? {} : { continue: next }),
    });
    yield* page.items;
    next = page.metadata.continue || undefined;
  } while (next !== undefined);
}

/** All objects of a resource in all namespaces, page by page; none if its CRD does not exist. */
export async function* listAll<T extends KubeObject>(
  kube: Pick<KubeApi, "list">,
  resource: ResourceKind,
  signal: AbortSignal,
): AsyncGenerator<T> {
  try {
    yield* listExisting<T>(kube, resource, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
