import type { z } from "zod";
import { type Group, groupSpecSchema } from "./group.ts";
import { type Identity, identitySpecSchema } from "./identity.ts";
import { type RoleBinding, roleBindingSpecSchema } from "./role-binding.ts";

export { apiGroup, apiVersion, finalizer, version } from "./custom-resource.ts";

/** Any object that Muster manages. */
export type Resource = Group | Identity | RoleBinding;
export type KindName = Resource["kind"];

/** A kind, as Kubernetes is told about it. */
export interface ResourceDefinition<K extends KindName = KindName> {
  readonly kind: K;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly specSchema: z.ZodType<Extract<Resource, { kind: K }>["spec"]>;
}

/** All kinds; the order is that of dependence: what comes later lives in, or speaks of, what comes before. */
export const resourceDefinitions = [
  {
    kind: "Group",
    plural: "groups",
    singular: "group",
    shortNames: ["mgroup"],
    description: "A group on the platform: a node of the tree in which identities live and roles are granted.",
    specSchema: groupSpecSchema,
  } satisfies ResourceDefinition<"Group">,
  {
    kind: "Identity",
    plural: "identities",
    singular: "identity",
    shortNames: ["mid"],
    description:
      "An identity on the platform: who may call it. It is assumed by exchanging a token of another issuer that matches.",
    specSchema: identitySpecSchema,
  } satisfies ResourceDefinition<"Identity">,
  {
    kind: "RoleBinding",
    plural: "rolebindings",
    singular: "rolebinding",
    shortNames: ["mrb"],
    description: "A grant on the platform: an identity has a role in a group and in every group below it.",
    specSchema: roleBindingSpecSchema,
  } satisfies ResourceDefinition<"RoleBinding">,
] as const;
