import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

/** A pod without what the server chooses at random, and with lists in one order where the order means nothing. */
export function comparable(pod: KubeObject | undefined): object {
  const { metadata, spec } = withoutServerFields(pod as KubeObject);
  const text = JSON.stringify({ metadata, spec }).replaceAll(/kube-api-access-\w+/g, "kube-api-access");
  const { metadata: known, spec: sorted } = JSON.parse(text) as KubeObject;
  if ("generateName" in known) delete (known as { name?: string }).name;
  const byKey = (key: string) => (a: Record<string, string>, b: Record<string, string>) =>
    (a[key] ?? "").localeCompare(b[key] ?? "");
  sorted.volumes?.sort(byKey("name"));
  for (const each of [...sorted.containers, ...(sorted.initContainers ?? [])])
    each.volumeMounts?.sort(byKey("mountPath"));
  return { metadata: known, spec: sorted };
}

/** A manifest of the pod, from which it can be created again. */
export function withoutServerFields(pod: KubeObject): KubeObject {
  const {
    uid: _uid,
    creationTimestamp: _time,
    managedFields: _fields,
    generation: _generation,
    ...metadata
  } = pod.metadata as unknown as Record<string, unknown>;
  return { apiVersion: "v1", kind: "Pod", metadata: metadata as unknown as KubeObject["metadata"], spec: pod["spec"] };
}
