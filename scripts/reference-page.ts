import { annotations } from "#src/api/annotations.ts";
import { conditionTypes } from "#src/api/condition.ts";
import { customResourceDefinition, type StructuralSchema } from "#src/api/crd.ts";
import { apiGroup, apiVersion } from "#src/api/custom-resource.ts";
import { reasons, type ReasonDescription } from "#src/api/reason.ts";
import type { ResourceDefinition } from "#src/api/resource-definition.ts";
import type { Kind } from "#src/kinds/kind.ts";

const generated = "Generated from `src/api` by `npm run generate`. Do not edit.";

/** The folder of the pages of the kinds, beside the page that lists them. */
export const resourcesFolder = "docs/reference/resources";

/**
 * The reference documentation of the custom resources, as Markdown by the paths of the files: a page that lists the kinds, one for each
 * kind, and one for what all have.
 * @param others kinds without a resource on the platform. Each has a status of its own.
 */
export function referencePages(
  kinds: readonly Kind[],
  others: readonly ResourceDefinition[] = [],
): ReadonlyMap<string, string> {
  const definitions = kinds.map(({ definition }) => definition);
  const pageOf = ({ singular }: ResourceDefinition) => `${singular}.md`;
  const index = [
    "# Custom resources",
    "For **application developers**: find the kind for what you want to declare.",
    generated,
    `All kinds are in \`${apiVersion}\`. Those in a namespace are in the category \`muster\`: \`kubectl get muster\` lists them. Tenants are not, because editors of a namespace may not read them: \`kubectl get mtenant\`. \`kubectl explain\` shows the same descriptions.`,
    ...[...definitions, ...others].flatMap((definition) => [
      `## ${definition.kind}`,
      `${definition.description} [Fields and rules](resources/${pageOf(definition)})`,
    ]),
    "## Status",
    `The status of ${definitions.map(({ kind }) => kind).join(", ")} is the same: [its fields](resources/status.md). [Conditions](conditions.md) has every type and reason, with its fix.`,
    "## Annotations",
    table(
      ["annotation", "value", "effect"],
      annotations.map(({ name, value, effect }) => [code(name), value.startsWith('"') ? code(value) : value, effect]),
    ),
  ];
  const pages = new Map<string, readonly string[]>([["docs/reference/resources.md", index]]);
  for (const definition of definitions) pages.set(`${resourcesFolder}/${pageOf(definition)}`, kindPage(definition));
  for (const definition of others) {
    const status = fieldTable(schemaOf(definition).properties?.["status"], "status");
    pages.set(`${resourcesFolder}/${pageOf(definition)}`, [...kindPage(definition), "## Status", status]);
  }
  pages.set(`${resourcesFolder}/status.md`, [
    "# Status",
    "For **application developers**: look up what a field of the status says.",
    generated,
    `The status of ${definitions.map(({ kind }) => kind).join(", ")}.`,
    fieldTable(schemaOf(definitions[0]).properties?.["status"], "status"),
  ]);
  return new Map([...pages].map(([path, blocks]) => [path, `${blocks.join("\n\n")}\n`]));
}

/** Every condition type and reason with its fix, as Markdown. Each reason has a heading, so that a link can lead to it. */
export function conditionsPage(): string {
  const page = [
    "# Conditions",
    "For **application developers**: find out what a condition means, and how to fix it or what to ask an administrator for.",
    generated,
    "`kubectl get muster` prints the reason of each object, and `kubectl describe mrb NAME` the message, with the names. (`mrb` is Muster's RoleBinding; `rolebinding` is that of Kubernetes.) [`muster why`](../how-to/find-out-why.md) follows an object to its cause.",
    "## Types",
    table(
      ["type", "meaning while True"],
      Object.entries(conditionTypes).map(([type, meaning]) => [code(type), meaning]),
    ),
    "## Reasons",
    "A newer operator can write other types and reasons: both are patterns in the CRD, not enums.",
    ...Object.entries<ReasonDescription>(reasons)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([reason, { meaning, fix, see }]) => [
        `### ${reason}`,
        meaning,
        ...(fix === undefined ? [] : [`**Fix:** ${fix}${see === undefined ? "" : ` See ${see}.`}`]),
      ]),
  ];
  return `${page.join("\n\n")}\n`;
}

function kindPage(definition: ResourceDefinition): readonly string[] {
  const { kind, plural, shortNames, description, columns, scope } = definition;
  const spec = schemaOf(definition).properties?.["spec"];
  const names = shortNames.map(code).join(", ");
  const narrow = [...columns.map(({ name }) => name), "Ready", "Reason", "Age"].join(", ");
  return [
    `# ${kind}`,
    // Only who administers the cluster writes kinds that are not in a namespace.
    `For **${scope === "Cluster" ? "platform engineers" : "application developers"}**: look up the fields of a ${kind}, and the rules for them.`,
    generated,
    description,
    `Resource \`${plural}.${apiGroup}\`, ${scope === "Cluster" ? "cluster-scoped" : "namespaced"}, short name ${names}. \`kubectl get\` prints ${narrow}; \`-o wide\` adds details.`,
    "## Spec",
    fieldTable(spec, "spec"),
    "## Validation",
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
