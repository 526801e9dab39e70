import { apiGroup, version } from "./custom-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

/** How Kubernetes addresses the objects of a kind. */
export function resourceKindOf({ kind, plural }: Pick<ResourceDefinition, "kind" | "plural">) {
  return { group: apiGroup, version, plural, kind };
}
