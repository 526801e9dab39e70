import { describe, expect, it } from "vitest";
import { customResourceDefinition, type StructuralSchema } from "./crd.ts";
import { resourceDefinitions } from "./resource.ts";

const schemas = resourceDefinitions.map((definition) => {
  const { versions } = customResourceDefinition(definition).spec;
  return { kind: definition.kind, schema: versions[0]?.schema.openAPIV3Schema as StructuralSchema };
});

describe.each(schemas)("the schema of $kind", ({ schema }) => {
  const values = [...everyValue(schema, "")];

  it("describes every field in sentences, for kubectl explain", () => {
    const silent = values.filter(
      ({ path, value }) => path !== ".metadata" && !/^\S.*\.$/.test(value.description ?? ""),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it("bounds every text, list and map, so that the cost of its rules is bounded", () => {
    const unbounded = values.filter(({ path, value }) => path.startsWith(".s") && !isBounded(value));
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  it("says how lists merge", () => {
    const lists = values.filter(({ value }) => value.type === "array");
    expect(lists.filter(({ value }) => value["x-kubernetes-list-type"] === undefined)).toEqual([]);
  });

  it("calls immutable what is, and nothing else", () => {
    const spec = schema.properties?.["spec"];
    const rules = spec?.["x-kubernetes-validations"] as { rule: string; fieldPath?: string }[];
    const fixed = rules.flatMap(({ rule, fieldPath }) =>
      rule.includes("oldSelf") ? [fieldPath?.slice(1) ?? rule] : [],
    );
    const said = Object.entries(spec?.properties ?? {}).flatMap(([field, { description }]) =>
      description?.endsWith("Immutable.") ? [field] : [],
    );
    expect(said.toSorted()).toEqual(fixed.toSorted());
    expect(fixed).toContain("uid");
  });

  it("is structural: every value has one type, and what is not Kubernetes' own dialect is gone", () => {
    const keywords = new Set(values.flatMap(({ value }) => Object.keys(value)));
    const foreign = ["anyOf", "oneOf", "allOf", "$ref", "const", "propertyNames", "$schema", "~standard"];
    expect(values.filter(({ value }) => typeof value.type !== "string")).toEqual([]);
    expect(foreign.filter((keyword) => keywords.has(keyword))).toEqual([]);
  });
});

describe("customResourceDefinition", () => {
  it.each(resourceDefinitions)("names $kind as people call it", ({ kind, plural, shortNames }) => {
    const { metadata, spec } = customResourceDefinition(resourceDefinitions.find((one) => one.kind === kind)!);
    expect(metadata.name).toBe(`${plural}.iam.muster.dev`);
    expect(spec.names).toMatchObject({ kind, shortNames, categories: ["muster"] });
    expect(spec.versions[0]).toMatchObject({
      name: "v1beta1",
      served: true,
      storage: true,
      subresources: { status: {} },
    });
  });

  it("shows the wide columns only when asked", () => {
    const columns = customResourceDefinition(resourceDefinitions[0]).spec.versions[0]?.additionalPrinterColumns ?? [];
    const names = (priority: number | undefined) =>
      columns.filter((column) => column.priority === priority).map(({ name }) => name);
    expect(names(undefined)).toEqual(["Ready", "Reason", "UID", "Age"]);
    expect(names(1)).toEqual(["Parent", "Last sync", "Message"]);
  });
});

function* everyValue(value: StructuralSchema, path: string): Generator<{ path: string; value: StructuralSchema }> {
  yield { path, value };
  for (const [field, inner] of Object.entries(value.properties ?? {})) yield* everyValue(inner, `${path}.${field}`);
  if (value.items) yield* everyValue(value.items, `${path}[]`);
  if (value.additionalProperties) yield* everyValue(value.additionalProperties, `${path}[*]`);
}

function isBounded(value: StructuralSchema): boolean {
  switch (value.type) {
    case "string":
      return value["maxLength"] !== undefined || value["enum"] !== undefined || value["format"] === "date-time";
    case "array":
      return value["maxItems"] !== undefined;
    case "object":
      return value.additionalProperties === undefined || value["maxProperties"] !== undefined;
    default:
      return true;
  }
}
