import * as z from "zod";
import { apiGroup, type ResourceDefinition, version } from "./resource.ts";
import { statusSchema } from "./status.ts";

/** What a CRD says of one value: a JSON schema as Kubernetes takes it (structural, OpenAPI 3.0). */
export interface StructuralSchema {
  readonly type: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema;
  readonly [keyword: string]: unknown;
}

/** The CustomResourceDefinition of a kind. Pure: the same definition gives the same text. */
export function customResourceDefinition({
  kind,
  plural,
  singular,
  shortNames,
  description,
  specSchema,
}: ResourceDefinition) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${apiGroup}`, labels: { "app.kubernetes.io/part-of": "muster" } },
    spec: {
      group: apiGroup,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames, categories: ["muster"] },
      scope: "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns,
          schema: {
            openAPIV3Schema: {
              description,
              type: "object",
              required: ["spec"],
              properties: {
                apiVersion: {
                  type: "string",
                  description: `The version of this kind's schema: ${apiGroup}/${version}.`,
                },
                kind: { type: "string", description: `What this object is: ${kind}.` },
                metadata: { type: "object" },
                spec: structuralSchema(specSchema),
                // The API server drops a new object's status and fills the default in whenever it reads one that has none.
                status: { ...structuralSchema(statusSchema), default: {} },
              },
            },
          },
        },
      ],
    },
  };
}

const readyCondition = '.status.conditions[?(@.type=="Ready")]';

const additionalPrinterColumns = [
  {
    name: "Ready",
    type: "string",
    jsonPath: `${readyCondition}.status`,
    description: "Whether it is on the platform as the spec says.",
  },
  { name: "Reason", type: "string", jsonPath: `${readyCondition}.reason`, description: "Why, in one word." },
  { name: "UID", type: "string", jsonPath: ".status.uid", description: "The uid on the platform." },
  {
    name: "Age",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    description: "How long this object has been there.",
  },
  {
    name: "Parent",
    type: "string",
    jsonPath: ".status.parentUid",
    priority: 1,
    description: "The uid of the group in which it is.",
  },
  {
    name: "Last sync",
    type: "date",
    jsonPath: ".status.lastSyncTime",
    priority: 1,
    description: "When the status last changed.",
  },
  {
    name: "Message",
    type: "string",
    jsonPath: `${readyCondition}.message`,
    priority: 1,
    description: "Why, in a sentence.",
  },
];

function structuralSchema(schema: z.ZodType): StructuralSchema {
  const { $schema: _dialect, ...structural } = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    override: ({ jsonSchema }) => {
      // A CRD prunes unknown fields, and takes no additionalProperties beside properties.
      if (jsonSchema.properties) delete jsonSchema.additionalProperties;
      // A record's keys are always text.
      delete jsonSchema.propertyNames;
      // The format says it all, in better words than the pattern.
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

/** Puts what a person looks for first, in place. */
function inReadingOrder(schema: Record<string, unknown>): void {
  const rank = (keyword: string) =>
    (readingOrder.indexOf(keyword) + readingOrder.length + 1) % (readingOrder.length + 1);
  const entries = Object.entries(schema).toSorted(([a], [b]) => rank(a) - rank(b));
  for (const [keyword] of entries) delete schema[keyword];
  Object.assign(schema, Object.fromEntries(entries));
}
