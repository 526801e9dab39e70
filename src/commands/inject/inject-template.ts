import { isDeepStrictEqual } from "node:util";
import { type Document, isSeq, type YAMLMap, YAMLSeq } from "yaml";
import { type InjectionValues, withAgent, withoutAgent } from "#src/injection/description.ts";
import type { Pod } from "#src/injection/pod.ts";
import { wantsAgent } from "#src/injection/refusals.ts";
import { fill, type Template } from "#src/injection/template.ts";
import type { PodPath } from "./pod-templates.ts";

/** An object of a list that has keys. */
type Item = Readonly<Record<string, unknown>>;

/**
 * Injects into one pod of a document that has no aliases, as the admission policy does: items are replaced, variables and
 * mounts merged.
 * @param pod what is at `path`.
 */
export function injectTemplate(document: Document, path: PodPath, pod: Pod, values: InjectionValues): void {
  const injection = wantsAgent.of(pod) ? withAgent : withoutAgent;
  const filled = (list: Template<keyof InjectionValues>) => fill(list, values) as readonly Item[];
  const spec = [...path, "spec"];
  for (const volume of filled(injection.volumes)) replace(listAt(document, [...spec, "volumes"]), volume, "last");
  for (const container of filled(injection.initContainers))
    replace(listAt(document, [...spec, "initContainers"]), container, "first");
  for (const index of pod.spec.containers.keys()) {
    const container = [...spec, "containers", index];
    const mounts = filled(injection.mounts).map((mount) => ({ ...mount, readOnly: true }));
    merge(listAt(document, [...container, "env"]), "name", filled(injection.environment));
    merge(listAt(document, [...container, "volumeMounts"]), "mountPath", mounts);
  }
}

/** Adds an item to a list, or replaces the item of the same name. */
function replace({ document, list }: ListOf, item: Item, place: "first" | "last"): void {
  const index = indexOf(list, "name", item);
  const existing = list.items[index];
  if (existing === undefined) {
    const node = document.createNode(item);
    if (place === "last") list.items.push(node);
    else addFirst(list, node);
  } else if (!isDeepStrictEqual(existing.toJS(document), item)) list.items[index] = document.createNode(item);
}

/**
 * Sets the fields of items in a list, and adds missing items. As in the API server, a missing item comes before the next one of
 * `items` that is in the list, otherwise last.
 */
function merge({ document, list }: ListOf, key: string, items: readonly Item[]): void {
  let before = list.items.length;
  for (const item of items.toReversed()) {
    const index = indexOf(list, key, item);
    const existing = list.items[index];
    if (existing === undefined) list.items.splice(before, 0, document.createNode(item));
    else {
      before = index;
      for (const [field, value] of Object.entries(item)) if (existing.get(field) !== value) existing.set(field, value);
    }
  }
}

function indexOf(list: YAMLSeq<YAMLMap>, key: string, item: Item): number {
  return list.items.findIndex((existing) => existing.get(key) === item[key]);
}

/** A comment before the first item stays before that item. */
function addFirst(list: YAMLSeq<YAMLMap>, node: YAMLMap): void {
  const [first] = list.items;
  if (first !== undefined && list.commentBefore) {
    first.commentBefore = list.commentBefore;
    list.commentBefore = null;
  }
  list.items.unshift(node);
}

/** A list of objects, as `podSchema` has checked. */
interface ListOf {
  readonly document: Document;
  readonly list: YAMLSeq<YAMLMap>;
}

/** The list at a path, which is created if it is missing. */
function listAt(document: Document, path: PodPath): ListOf {
  const list = document.getIn(path, true);
  if (isSeq<YAMLMap>(list)) return { document, list };
  const created = new YAMLSeq<YAMLMap>();
  document.setIn(path, created);
  return { document, list: created };
}
