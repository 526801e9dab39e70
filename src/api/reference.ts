import * as z from "zod";
import { matches, withRules } from "./rule.ts";

export const objectName = withRules(
  z.string().max(253),
  matches(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    "must be the name of a Kubernetes object: lowercase letters, digits, '-' and '.', starting and ending with a letter or digit",
  ),
);

export const namespaceName = withRules(
  z.string().max(63),
  matches(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    "must be the name of a namespace: lowercase letters, digits and '-', starting and ending with a letter or digit",
  ),
);

/** A reference to another custom resource of Muster. */
export function reference(kind: string, description: string) {
  return z
    .object({
      name: objectName.describe(`Name of the ${kind} object.`),
      namespace: namespaceName
        .exactOptional()
        .describe(
          `Namespace of the ${kind} object. Defaults to the namespace of this object. In a namespace of another Tenant, the ${kind} must list this namespace in spec.allowedNamespaces.`,
        ),
    })
    .describe(description);
}

/** The field `allowedNamespaces` of a kind that other objects refer to. */
export function allowedNamespaces(kind: string) {
  return z
    .array(namespaceName.describe("Name of a namespace."))
    .max(64)
    .meta({ "x-kubernetes-list-type": "set" })
    .exactOptional()
    .describe(
      `Namespaces of other Tenants whose objects may refer to this ${kind}, by its name or by its uid. Objects in namespaces of the same Tenant need no permission.`,
    );
}

export type Reference = z.output<ReturnType<typeof reference>>;
