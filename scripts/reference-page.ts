import { annotations } from "#src/api/annotations.ts";
import { conditionTypes } from "#src/api/condition.ts";
import { customResourceDefinition, type StructuralSchema } from "#src/api/crd.ts";
import { apiGroup, apiVersion } from "#src/api/custom-resource.ts";
import { reasons, type ReasonDescription } from "#src/api/reason.ts";
import type { ResourceDefinition } from "#src/api/resource-definition.ts";
import type { Kind } from "#src/kinds/kind.ts";

/**
 * The reference documentation of the custom resources, as Markdown.
 * @param others kinds without a resource on the platform. Each has a status of its own.
 */
export function referencePage(kinds: readonly Kind[], others: readonly ResourceDefinition[] = []): string {
  const definitions = kinds.map(({ definition }) => definition);
  const page = [
    "# Custom resources",
    "Generated from `src/api` by `npm run generate`. Do not edit.",
    `All kinds are in \`${apiVersion}\`. Those in a namespace are in the category \`muster\`: \`kubectl get muster\` lists them. Tenants are not, because editors of a namespace may not read them: \`kubectl get mtenant\`. \`kubectl explain\` shows the same descriptions.`,
    ...definitions.flatMap(kindSection),
    "## Status",
    `The status of ${definitions.map(({ kind }) => kind).join(", ")} is the same.`,
    fieldTable(schemaOf(definitions[0]).properties?.["status"], "status"),
    ...others.flatMap((definition) => [
      ...kindSection(definition),
      `### Status of ${definition.kind}`,
      fieldTable(schemaOf(definition).properties?.["status"], "status"),
    ]),
    "## Conditions",
    "### Condition types",
    "[Conditions](conditions.md#types) lists them.",
    "### Condition reasons",
    "[Conditions](conditions.md#reasons) lists them, with what each means and how to fix it.",
    "## Annotations",
    table(
      ["annotation", "value", "effect"],
      annotations.map(({ name, value, effect }) => [code(name), value.startsWith('"') ? code(value) : value, effect]),
    ),
  ];
  return `${page.join("\n\n")}\n`;
}

/** Every condition type and reason with its fix, as Markdown. Each reason has a heading, so that a link can lead to it. */
export function conditionsPage(): string {
  const page = [
    "# Conditions",
    "Generated from `src/api` by `npm run generate`. Do not edit.",
    "This page is for people who ask why an object is not Ready. `kubectl get muster` prints the reason of each object; its message, with the names, is in the condition: `kubectl describe KIND NAME`.",
    "## Types",
    table(
      ["type", "meaning while True"],
      Object.entries(conditionTypes).map(([type, meaning]) => [code(type), meaning]),
    ),
    "## Reasons",
    "A newer operator can write other types and reasons: both are patterns in the CRD, not enums.",
    ...Object.entries<ReasonDescription>(reasons)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([reason, { meaning, fix }]) => [
        `### ${reason}`,
        meaning,
        ...(fix === undefined ? [] : [`**Fix:** ${fix}`]),
      ]),
  ];
  return `${page.join("\n\n")}\n`;
}

function kindSection(definition: ResourceDefinition): string[] {
  const { kind, plural, shortNames, description, columns, scope } = definition;
  const spec = schemaOf(definition).properties?.["spec"];
  const names = shortNames.map(code).join(", ");
  const narrow = [...columns.map(({ name }) => name), "Ready", "Reason", "Age"].join(", ");
  return [
    `## ${kind}`,
    description,
    `Resource \`${plural}.${apiGroup}\`, ${scope === "Cluster" ? "cluster-scoped" : "namespaced"}, short name ${names}. \`kubectl get\` prints ${narrow}; \`-o wide\` adds details.`,
    fieldTable(spec, "spec"),
    `### Validation of ${kind}`,
    table(["field", "error message", "checked on"], [...ruleRows(spec, "spec")]),
  ];
}

function schemaOf(definition: ResourceDefinition | undefined): StructuralSchema {
  const [version] = definition === undefined ? [] : customResourceDefinition(definition).spec.versions;
  if (version === undefined) throw new Error("no kind is defined");
  return version.schema.openAPIV3Schema;
}

function fieldTable(schema: StructuralSchema | undefined, path: string): string {
  return table(["field", "type", "constraints", "description"], [...fieldRows(schema, path)]);
}

function* fieldRows(schema: StructuralSchema | undefined, path: string): Generator<string[]> {
  for (const [name, field] of Object.entries(schema?.properties ?? {})) {
    const required = schema?.required?.includes(name) === true;
    const fieldPath = `${path}.${name}`;
    yield [code(fieldPath), typeOf(field), constraintsOf(field, required), field.description ?? ""];
    yield* fieldRows(field, fieldPath);
    if (field.items !== undefined) yield* fieldRows(field.items, `${fieldPath}[]`);
  }
}

function typeOf({ type, format, items, additionalProperties }: StructuralSchema): string {
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (additionalProperties !== undefined) return `map of ${typeOf(additionalProperties)}`;
  return format === "date-time" ? "time" : type;
}

function constraintsOf(field: StructuralSchema, required: boolean): string {
  const bound = (keyword: string, text: (value: unknown) => string) =>
    field[keyword] === undefined ? [] : [text(field[keyword])];
  return [
    ...(required ? ["required"] : []),
    ...bound("enum", (values) => `one of ${(values as string[]).map(code).join(", ")}`),
    ...bound("minLength", (value) => (value === 1 ? "not empty" : `at least ${String(value)} characters`)),
    ...bound("maxLength", (value) => `at most ${String(value)} characters`),
    ...bound("minimum", (value) => `at least ${String(value)}`),
    ...bound("maxItems", (value) => `at most ${String(value)} items`),
    ...bound("maxProperties", (value) => `at most ${String(value)} entries`),
    ...bound("pattern", (value) => `must match ${code(String(value))}`),
    ...bound("default", (value) =>
      ["string", "number", "boolean"].includes(typeof value) && value !== "" ? `default ${code(String(value))}` : "",
    ),
  ]
    .filter((text) => text !== "")
    .join("; ");
}

interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

function* ruleRows(schema: StructuralSchema | undefined, path: string): Generator<string[]> {
  const rules = (schema?.["x-kubernetes-validations"] ?? []) as readonly ValidationRule[];
  for (const { rule, message, fieldPath = "" } of rules)
    yield [code(path + fieldPath), message, rule.includes("oldSelf") ? "update" : "create, update"];
  for (const [name, field] of Object.entries(schema?.properties ?? {})) yield* ruleRows(field, `${path}.${name}`);
  if (schema?.items !== undefined) yield* ruleRows(schema.items, `${path}[]`);
  if (schema?.additionalProperties !== undefined) yield* ruleRows(schema.additionalProperties, `${path}[*]`);
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}
