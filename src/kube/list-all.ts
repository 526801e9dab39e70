import type { KubeApi } from "./api.ts";
import { isNotFound } from "./errors.ts";
import { listPages } from "./list-pages.ts";
import type { KubeObject, ResourceKind } from "./object.ts";

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
  for await (const page of listPages<T>(kube, resource, signal, namespace)) yield* page.items;
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
