import type { KubeApi } from "./api.ts";
import type { ResourceKind } from "./object.ts";

export const namespaceResource: ResourceKind = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
};

/** The uid of the namespace kube-system; undefined if the response has none. @throws {KubeError} */
export async function kubeSystemUid(kube: Pick<KubeApi, "get">, signal: AbortSignal): Promise<string | undefined> {
  return (await kube.get(namespaceResource, undefined, "kube-system", { signal })).metadata?.uid || undefined;
}
