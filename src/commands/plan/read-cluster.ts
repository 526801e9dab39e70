import { shareTexts } from "#src/http/shared-texts.ts";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import { ExplainedError } from "#src/commands/explained-error.ts";
import { kubeSystemUid, namespaceResource } from "#src/kube/namespaces.ts";
import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { isUnreadable } from "#src/kube/errors.ts";
import { listExisting } from "#src/kube/list-all.ts";
import { type KubeObject, type ResourceKind, withoutBulk } from "#src/kube/object.ts";

/** What an operator of these kinds watches. */
export function watchedBy(kinds: readonly Kind[]): readonly ResourceKind[] {
  return [namespaceResource, tenantResource, ...kinds.map(({ definition }) => resourceKindOf(definition))];
}

/**
 * The objects that the operator watches: custom resources, Tenants and namespaces.
 * @param onRead called with each object as it was read, with what only kubectl and the API server use
 * @throws {Error} if one of them may not be listed: a plan without them would be wrong
 */
export async function readCluster(
  kube: Pick<KubeApi, "list">,
  kinds: readonly Kind[],
  signal: AbortSignal,
  onRead: (object: KubeObject) => void = () => undefined,
): Promise<readonly KubeObject[]> {
  const lists = await Promise.all(watchedBy(kinds).map((resource) => readAll(kube, resource, signal, onRead)));
  return lists.flat();
}

async function readAll(
  kube: Pick<KubeApi, "list">,
  resource: ResourceKind,
  signal: AbortSignal,
  onRead: (object: KubeObject) => void,
): Promise<readonly KubeObject[]> {
  const { group, version, kind, plural } = resource;
  // Items of a list have neither.
  const own = { apiVersion: group === "" ? version : `${group}/${version}`, kind };
  const objects: KubeObject[] = [];
  try {
    for await (const listed of listExisting(kube, resource, signal)) {
      const object = { ...listed, ...own };
      onRead(object);
      objects.push(shareTexts(withoutBulk(object)));
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    throw new Error(
      `${error.message}. A plan needs all ${plural} of the cluster: ask for the right to list them, or use --offline with their manifests`,
      { cause: error },
    );
  }
  return objects;
}

/** The uid of the namespace kube-system, which is the owner id unless a setting gives another one. */
export async function readOwnerId(kube: Pick<KubeApi, "get">, signal: AbortSignal): Promise<string> {
  const uid = await kubeSystemUid(kube, signal);
  if (uid === undefined) throw new ExplainedError("owner-id", "the namespace kube-system has no uid: set --owner-id");
  return uid;
}
