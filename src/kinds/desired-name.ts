import type { CommonSpec, CustomResource } from "#src/api/custom-resource.ts";

/**
 * The name that the external resource of `resource` is to have: by default that of the object. An object that observes a
 * resource by its uid compares the name only if it sets one.
 */
export function desiredName({ spec, metadata }: CustomResource<CommonSpec & { readonly name?: string }>): {
  readonly name?: string;
} {
  if (spec.name === undefined && spec.uid !== undefined && spec.policy.management === "Observe") return {};
  return { name: spec.name ?? metadata.name };
}
