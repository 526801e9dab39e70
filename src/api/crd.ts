import * as z from "zod";
import { apiGroup, version } from "./custom-resource.ts";
import type { PrinterColumn, ResourceDefinition } from "./resource-definition.ts";

/** The schema of one value in a CRD: a structural schema, the subset of OpenAPI 3.0 that Kubernetes accepts. */
export interface StructuralSchema {
  readonly type: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema;
  readonly [keyword: string]: unknown;
}

/** Returns the CustomResourceDefinition of a kind. It depends on the definition only. */
export function customResourceDefinition({
  kind,
  plural,
  singular,
  shortNames,
  description,
  scope,
  specSchema,
  statusSchema,
  columns,
  wideColumns,
}: ResourceDefinition) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${apiGroup}`, labels: { "app.kubernetes.io/part-of": "muster" } },
    spec: {
      group: apiGroup,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames, ...categoriesOf(scope) },
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: printerColumns({ columns, wideColumns, scope }),
          schema: {
            openAPIV3Schema: {
              description,
              type: "object",
              required: ["spec"],
              properties: {
                apiVersion: {
                  type: "string",
                  description: `Versioned schema of this object: ${apiGroup}/${version}.`,
                },
                kind: { type: "string", description: `Kind of this object: ${kind}.` },
                metadata: { type: "object" },
                spec: structuralSchema(specSchema),
                // The API server ignores the status of a created object. The default makes observedGeneration -1 until the first write.
                status: { ...structuralSchema(statusSchema), default: {} },
              },
            },
          },
        },
      ],
    },
  };
}

/**
 * `kubectl get muster` lists what people may read who may edit a namespace. They may not read Tenants, for which the command
 * would fail as a whole.
 */
function categoriesOf(scope: ResourceDefinition["scope"]): { readonly categories?: readonly string[] } {
  return scope === "Cluster" ? {} : { categories: ["muster"] };
}

const readyCondition = '.status.conditions[?(@.type=="Ready")]';

/** The order is that of the columns. Age is the last of the narrow ones, as for the kinds of Kubernetes itself. */
function printerColumns({
  columns,
  wideColumns,
  scope,
}: Pick<ResourceDefinition, "columns" | "wideColumns" | "scope">) {
  const wide = { priority: 1 };
  // A Tenant has no resource on the platform.
  const resourceColumns = [
    { ...textColumn({ name: "UID", jsonPath: ".status.uid", description: "UID on the platform." }), ...wide },
    {
      name: "Last sync",
      type: "date",
      jsonPath: ".status.lastSyncTime",
      description: "Time since the status last changed after the resource was read or written.",
      ...wide,
    },
  ];
  return [
    ...columns.map((column) => textColumn(column)),
    textColumn({ name: "Ready", jsonPath: `${readyCondition}.status`, description: "Status of the condition Ready." }),
    textColumn({ name: "Reason", jsonPath: `${readyCondition}.reason`, description: "Reason of the condition Ready." }),
    {
      name: "Age",
      type: "date",
      jsonPath: ".metadata.creationTimestamp",
      description: "Time since the object was created.",
    },
    ...wideColumns.map((column) => ({ ...textColumn(column), ...wide })),
    ...(scope === "Cluster" ? [] : resourceColumns),
    {
      ...textColumn({
        name: "Message",
        jsonPath: `${readyCondition}.message`,
        description: "Message of the condition Ready.",
      }),
      ...wide,
    },
  ];
}

function textColumn({ name, jsonPath, description }: PrinterColumn) {
  return { name, type: "string", jsonPath, description };
}

function structuralSchema(schema: z.ZodType): StructuralSchema {
  const { $schema: _dialect, ...structural } = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    override: ({ jsonSchema }) => {
      // A CRD prunes unknown fields, and must not have both properties and additionalProperties.
      if (jsonSchema.properties) delete jsonSchema.additionalProperties;
      // The keys of a map are always strings.
      delete jsonSchema.propertyNames;
      // The format implies the pattern, and its error message is clearer.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (jsonSchema.type === "integer") {
        jsonSchema.format = "int64";
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      }
      inReadingOrder(jsonSchema);
    },
  });
  return structural as unknown as StructuralSchema;
}

const readingOrder = ["description", "type", "format", "enum", "default", "required", "properties", "items"];

/** Reorders the keywords in place, so that those that a reader looks for come first. */
function inReadingOrder(schema: Record<string, unknown>): void {
  const rank = (keyword: string) =>
    (readingOrder.indexOf(keyword) + readingOrder.length + 1) % (readingOrder.length + 1);
  const entries = Object.entries(schema).toSorted(([a], [b]) => rank(a) - rank(b));
  for (const [keyword] of entries) delete schema[keyword];
  Object.assign(schema, Object.fromEntries(entries));
}
