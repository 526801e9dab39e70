import { apiGroup, version } from "./custom-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

/** How Kubernetes addresses the objects of a kind. */
export function resourceKindOf({ kind, plural, scope }: Pick<ResourceDefinition, "kind" | "plural" | "scope">) {
  return { group: apiGroup, version, plural, kind, namespaced: scope === "Namespaced" };
}
