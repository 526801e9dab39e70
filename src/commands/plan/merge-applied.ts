import { isJsonObject } from "#src/json/json-object.ts";
import { mergePatch } from "#src/kube/merge-patch.ts";
import type { ClusterObject } from "#src/plan/memory-cluster.ts";
import type { AppliedFields, EarlierApply } from "./applied-fields.ts";
import type { Manifest } from "./read-manifests.ts";

/**
 * What `kubectl apply` makes of an object: it has the labels, the annotations and the spec that the file names, and what others
 * have set, such as a person with `kubectl edit`. What an earlier apply has set and the file does not name any more is removed. Maps
 * are merged, and lists are replaced. The spec has no default values for what is removed.
 */
export function mergeApplied(before: ClusterObject, { object, spec }: Manifest, applied: EarlierApply): ClusterObject {
  const { labels, annotations = before.metadata.annotations && {} } = object.metadata;
  const wanted = present({ metadata: present({ labels, annotations }), spec });
  const others = withoutRemoved({ ...before }, wanted, applied.onClient, "maps");
  return mergePatch(withoutRemoved(others, wanted, applied.onServer, "fields"), wanted) as ClusterObject;
}

function present(fields: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * @param removed what goes with a map that the file does not name any more: all of it, as on the client, or only the fields that
 *   were applied, as on the server
 */
function withoutRemoved(live: Fields, wanted: Fields, applied: AppliedFields, removed: "maps" | "fields"): Fields {
  const kept = Object.entries(live).flatMap(([field, value]) => {
    const within = applied.get(field);
    if (within === undefined) return [[field, value]];
    const isWanted = Object.hasOwn(wanted, field);
    const inFile = isWanted ? wanted[field] : {};
    if (!isWanted && (removed === "maps" || within.size === 0 || !isJsonObject(value))) return [];
    if (!isJsonObject(value) || !isJsonObject(inFile)) return [[field, value]];
    const others = withoutRemoved(value, inFile, within, removed);
    return !isWanted && Object.keys(others).length === 0 ? [] : [[field, others]];
  });
  return Object.fromEntries(kept);
}
