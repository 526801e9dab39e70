import type { z } from "zod";
import type { CustomResource } from "./custom-resource.ts";
import { groupDefinition } from "./group.ts";
import { identityDefinition } from "./identity.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { roleBindingDefinition } from "./role-binding.ts";

export { apiGroup, apiVersion, finalizer, version } from "./custom-resource.ts";
export type { ResourceDefinition } from "./resource-definition.ts";

/** The definitions of all kinds. A kind comes after the kinds that it refers to. */
const definitions = {
  Group: groupDefinition,
  Identity: identityDefinition,
  RoleBinding: roleBindingDefinition,
} as const;

export type KindName = keyof typeof definitions;

/** The custom resource of one kind. */
export type ResourceOf<K extends KindName> = CustomResource<z.output<(typeof definitions)[K]["specSchema"]>, K>;

/** The custom resource of any kind. */
export type Resource = { [K in KindName]: ResourceOf<K> }[KindName];

/** The definitions of all kinds by name. */
export const definitionOf: { readonly [K in KindName]: ResourceDefinition<K, ResourceOf<K>["spec"]> } = definitions;

/** The definitions of all kinds. A kind comes after the kinds that it refers to. */
export const resourceDefinitions: readonly ResourceDefinition<KindName>[] = Object.values(definitions);
