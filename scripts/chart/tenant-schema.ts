import { customResourceDefinition, type StructuralSchema } from "#src/api/crd.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import type { JsonSchema } from "./json-schema.ts";

/** The spec of a Tenant. Formats are left to the API server, because a text can be a template. */
export function tenantSchema(): JsonSchema {
  const [version] = customResourceDefinition(tenantDefinition).spec.versions;
  const spec = version?.schema.openAPIV3Schema.properties.spec;
  if (spec === undefined) throw new Error("the definition of Tenant has no spec");
  return strict(spec);
}

function strict({
  type,
  description,
  properties,
  required,
  items,
  additionalProperties,
  ...rest
}: StructuralSchema): JsonSchema {
  return {
    type,
    ...(description === undefined ? {} : { description }),
    ...(Array.isArray(rest["enum"]) ? { enum: rest["enum"] } : {}),
    ...(properties === undefined
      ? {}
      : {
          additionalProperties: false as const,
          properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, strict(field)])),
        }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: strict(additionalProperties) }),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: strict(items) }),
  };
}
