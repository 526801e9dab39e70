import { templateKinds } from "#src/injection/template-kinds.ts";
import { isJsonObject } from "#src/json/json-object.ts";

/** Where the pod of a manifest is: the path of the object that has its metadata and spec. */
export type PodPath = readonly (string | number)[];

const templates: ReadonlyMap<string, PodPath> = new Map([
  ["v1/Pod", []],
  ...templateKinds.map(({ group, kind, path }) => [`${group === "" ? "" : `${group}/`}v1/${kind}`, path] as const),
]);

/** A pod, or a pod template, within a manifest. */
export interface PodTemplate {
  /** `Deployment shop`, for messages. */
  readonly owner: string;
  /** Of the object that contains the pod; undefined if the manifest names none. */
  readonly namespace: string | undefined;
  readonly path: PodPath;
  /** The path of the pod from the object that contains it: empty for a Pod. */
  readonly within: PodPath;
  /** The labels of the object that contains the pod. */
  readonly labels: unknown;
}

/** Lists in lists do not occur; the bound keeps a hostile file from exhausting the stack. */
const maxDepth = 8;

/** Returns the pods and pod templates of a manifest, also within a List. Other kinds have none. */
export function podTemplates(manifest: unknown, path: PodPath = []): readonly PodTemplate[] {
  if (!isJsonObject(manifest)) return [];
  const { apiVersion, kind, metadata, items } = manifest;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return [];
  if (kind.endsWith("List") && Array.isArray(items) && path.length <= maxDepth)
    return items.flatMap((item: unknown, index) =>
      podTemplates(withType(item, apiVersion, kind), [...path, "items", index]),
    );
  const template = templates.get(`${apiVersion}/${kind}`);
  if (template === undefined) return [];
  const { name, generateName, namespace, labels } = isJsonObject(metadata) ? metadata : {};
  const known = [name, generateName].find((text) => typeof text === "string");
  return [
    {
      owner: `${kind} ${known ?? "without a name"}`,
      namespace: typeof namespace === "string" && namespace !== "" ? namespace : undefined,
      path: [...path, ...template],
      within: template,
      labels,
    },
  ];
}

/** The items of a PodList, say, may omit their type. */
function withType(item: unknown, apiVersion: string, listKind: string): unknown {
  return isJsonObject(item) && listKind !== "List"
    ? { apiVersion, kind: listKind.slice(0, -"List".length), ...item }
    : item;
}
