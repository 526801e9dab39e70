import { ExplainedError } from "#src/commands/explained-error.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { isNotFound } from "#src/kube/errors.ts";
import { listExisting } from "#src/kube/list-all.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";

/**
 * Calls `note` with every object of some of Muster's resources in all namespaces, page by page. A resource whose CRD does not exist has
 * none.
 * @throws {Error} if the cluster knows none of the resources: it is probably not the one that declares anything
 */
export async function forEachObject(
  kube: Pick<KubeApi, "list">,
  resources: readonly ResourceKind[],
  note: (resource: ResourceKind, object: KubeObject) => void,
  signal: AbortSignal,
): Promise<void> {
  const read = async (resource: ResourceKind): Promise<boolean> => {
    try {
      for await (const object of listExisting(kube, resource, signal)) note(resource, object);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };
  const exist = await Promise.all(resources.map(read));
  if (!exist.includes(true))
    throw new ExplainedError(
      "cluster-access",
      "the cluster has none of Muster's CRDs: check --context, or install them if it is the right one",
    );
}
