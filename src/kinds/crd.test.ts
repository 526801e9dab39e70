import { describe, expect, it } from "vitest";
import { customResourceDefinition, type StructuralSchema } from "#src/api/crd.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { kinds } from "./kinds.ts";

const schemas = kinds.map(({ name, definition, collection, identification }) => {
  const { versions } = customResourceDefinition(definition).spec;
  const schema = versions[0]?.schema.openAPIV3Schema as StructuralSchema;
  return { kind: name, schema, hasUid: !collection.uids.isSingleton && identification.by !== "secret" };
});

describe.each(schemas)("the schema of $kind", ({ schema, hasUid }) => {
  const values = [...everyValue(schema, "")];

  it("describes every field in full sentences, for kubectl explain", () => {
    const undescribed = values.filter(
      ({ path, value }) => path !== ".metadata" && !/^\S.*\.$/.test(value.description ?? ""),
    );
    expect(undescribed.map(({ path }) => path)).toEqual([]);
  });

  it("bounds every string, list and map, so that the cost of its rules is bounded", () => {
    const unbounded = values.filter(({ path, value }) => path.startsWith(".s") && !isBounded(value));
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  it("declares how lists merge", () => {
    const lists = values.filter(({ value }) => value.type === "array");
    expect(lists.filter(({ value }) => value["x-kubernetes-list-type"] === undefined)).toEqual([]);
  });

  it("describes exactly the immutable fields as immutable", () => {
    const spec = schema.properties?.["spec"];
    const rules = spec?.["x-kubernetes-validations"] as { rule: string; fieldPath?: string }[];
    const immutable = rules.flatMap(({ rule, fieldPath }) =>
      rule.includes("oldSelf") ? [fieldPath?.slice(1) ?? rule] : [],
    );
    const described = Object.entries(spec?.properties ?? {}).flatMap(([field, { description }]) =>
      description?.endsWith("Immutable.") ? [field] : [],
    );
    expect(described.toSorted()).toEqual(immutable.toSorted());
    // The uid of a singleton is that of its group, which the spec names. What has a code cannot be adopted.
    expect(immutable.includes("uid")).toBe(hasUid);
  });

  it("is structural: every value has one type, and no keyword that Kubernetes rejects", () => {
    const keywords = new Set(values.flatMap(({ value }) => Object.keys(value)));
    const rejected = ["anyOf", "oneOf", "allOf", "$ref", "const", "propertyNames", "$schema", "~standard"];
    expect(values.filter(({ value }) => typeof value.type !== "string")).toEqual([]);
    expect(rejected.filter((keyword) => keywords.has(keyword))).toEqual([]);
  });
});

describe("customResourceDefinition", () => {
  it("keeps Tenants, which editors of a namespace may not read, out of the category muster", () => {
    expect(customResourceDefinition(tenantDefinition).spec.names).not.toHaveProperty("categories");
  });

  it.each(kinds)("names $name, with short names and the category muster", ({ definition }) => {
    const { kind, plural, shortNames } = definition;
    const { metadata, spec } = customResourceDefinition(definition);
    expect(metadata.name).toBe(`${plural}.iam.muster.dev`);
    expect(spec.names).toMatchObject({ kind, shortNames, categories: ["muster"] });
    expect(spec.versions[0]).toMatchObject({
      name: "v1beta1",
      served: true,
      storage: true,
      subresources: { status: {} },
    });
  });

  it.each([
    ["Group", ["Parent", "Ready", "Reason", "Age"], ["Platform name", "UID", "Last sync", "Message"]],
    [
      "Identity",
      ["Group", "Ready", "Reason", "Age"],
      ["Platform name", "Issuer", "Subject", "Service account", "UID", "Last sync", "Message"],
    ],
    [
      "RoleBinding",
      ["Group", "Identity", "Role", "Ready", "Reason", "Age"],
      ["Identity UID", "Role UID", "Expires", "UID", "Last sync", "Message"],
    ],
  ])("prints few columns of a %s unless -o wide is set", (kind, narrow, wide) => {
    const columns = kinds
      .filter(({ name }) => name === kind)
      .flatMap(({ definition }) => customResourceDefinition(definition).spec.versions)
      .flatMap(({ additionalPrinterColumns }) => additionalPrinterColumns);
    const isWide = (column: object) => "priority" in column && column.priority === 1;
    expect(columns.filter((column) => !isWide(column)).map(({ name }) => name)).toEqual(narrow);
    expect(columns.filter(isWide).map(({ name }) => name)).toEqual(wide);
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
