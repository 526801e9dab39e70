import { namespaceResource, tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { isUnreadable } from "#src/kube/errors.ts";
import { type KubeObject, type ResourceKind, withoutBulk } from "#src/kube/object.ts";
import { resourceKindOf } from "#src/reconcile/perform.ts";

/** The only calls that a plan makes to Kubernetes. */
export type KubeReads = Pick<KubeApi, "get" | "list">;

const pageSize = 500;

/**
 * The objects that the operator watches: custom resources, Tenants and namespaces.
 * @throws {Error} if one of them may not be listed: a plan without them would be wrong
 */
export async function readCluster(
  kube: KubeReads,
  kinds: readonly Kind[],
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const resources = [namespaceResource, tenantResource, ...kinds.map(({ definition }) => resourceKindOf(definition))];
  const lists = await Promise.all(resources.map((resource) => listAll(kube, resource, signal)));
  return lists.flat();
}

async function listAll(kube: KubeReads, resource: ResourceKind, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  let next: string | undefined;
  do {
    const page = await kube
      .list(resource, { signal, limit: pageSize, ...(next === undefined ? {} : { continue: next }) })
      .catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
        throw new Error(
          `${error.message}. A plan needs all ${resource.plural} of the cluster: ask for the right to list them, or use --offline with their manifests`,
          { cause: error },
        );
      });
    // Items of a list have neither.
    for (const object of page.items)
      objects.push(
        withoutBulk({
          ...object,
          apiVersion: resource.group === "" ? resource.version : `${resource.group}/${resource.version}`,
          kind: resource.kind,
        }),
      );
    next = page.metadata.continue || undefined;
  } while (next !== undefined);
  return objects;
}

/** The uid of the namespace kube-system, which is the owner id unless a setting gives another one. */
export async function readOwnerId(kube: KubeReads, signal: AbortSignal): Promise<string> {
  const { uid } = (await kube.get(namespaceResource, undefined, "kube-system", { signal })).metadata;
  if (uid === undefined || uid === "") throw new Error("the namespace kube-system has no uid: set --owner-id");
  return uid;
}
