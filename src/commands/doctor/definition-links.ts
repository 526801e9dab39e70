import { apiGroup, version } from "#src/api/custom-resource.ts";
import { customResourceDefinition, type StructuralSchema } from "#src/api/crd.ts";
import type { ResourceDefinition } from "#src/api/resource-definition.ts";
import type { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import type { Link } from "#src/commands/why/link.ts";
import { customResourceDefinitions } from "#src/kube/custom-resource-definition.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { shortList } from "#src/text/short-list.ts";
import { oneLine } from "#src/telemetry/one-line.ts";

/** A CustomResourceDefinition, as far as it is compared. */
export interface InstalledDefinition extends KubeObject {
  readonly spec?: {
    readonly versions?: readonly {
      readonly name?: string;
      readonly served?: boolean;
      readonly storage?: boolean;
      readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
    }[];
  };
}

const fix = {
  text: "Apply crds/ of this version, or helm upgrade the chart muster-crds:",
  command: "kubectl apply --server-side -f crds/",
};

/**
 * Whether the CRD of a kind is installed, and has the fields that this version reads and writes.
 * @param definitions those of all kinds that are checked
 */
export async function definitionLink(
  cluster: ClusterReads,
  definition: ResourceDefinition,
  definitions: readonly ResourceDefinition[],
): Promise<Link> {
  const name = nameOf(definition);
  const base = { link: "CRD", subject: name };
  const read = await cluster.get<InstalledDefinition>(
    customResourceDefinitions,
    undefined,
    name,
    definitions.map(nameOf),
  );
  if (read.state === "unknown")
    return { ...base, state: "unknown", message: `It cannot be read: ${read.because}`, fix: read.fix };
  if (read.state === "absent") return { ...base, state: "problem", message: "It is not installed.", fix };
  const { metadata, spec } = read.value;
  if (metadata.deletionTimestamp !== undefined)
    return {
      ...base,
      state: "problem",
      message: "It is being deleted, and so are all of its objects.",
      fix: "The operator deletes nothing on the platform meanwhile. Apply crds/ again after it is gone, then your manifests.",
    };
  const installed = spec?.versions?.find((one) => one.name === version && one.served === true);
  if (installed === undefined)
    return { ...base, state: "problem", message: `It does not serve the version ${version}.`, fix };
  const ofThis = customResourceDefinition(definition).spec.versions[0]?.schema.openAPIV3Schema;
  const ofCluster = installed.schema?.openAPIV3Schema;
  const [expected, actual] = [fieldsOf(ofThis), fieldsOf(ofCluster)];
  const missing = [...expected].filter((field) => !actual.has(field));
  if (missing.length > 0)
    return {
      ...base,
      state: "problem",
      message: `It is older than this muster: it does not have ${shortList(missing)}, which the API server therefore drops.`,
      fix,
    };
  const more = [...actual].filter((field) => !expected.has(field));
  const [rules, installedRules] = [rulesOf(ofThis), rulesOf(ofCluster)];
  const differing = [...rules.keys()].filter((path) => rules.get(path) !== installedRules.get(path));
  // One with more fields is of a newer version, whose rules this one does not know.
  if (differing.length > 0 && more.length === 0)
    return {
      ...base,
      state: "problem",
      message: `It has every field of this muster, and other rules for ${shortList(differing)}: it is of another version.`,
      fix,
    };
  const newer = more.length === 0 ? "" : ` It is newer: it also has ${oneLine(shortList(more))}.`;
  return { ...base, state: "ok", message: `It serves ${version} with every field of this muster.${newer}` };
}

const nameOf = ({ plural }: ResourceDefinition) => `${plural}.${apiGroup}`;

/** The paths of all fields of a schema, such as `spec.policy.drift`. */
function fieldsOf(schema: StructuralSchema | undefined, path = ""): ReadonlySet<string> {
  const fields = new Set<string>();
  for (const [name, field] of Object.entries(schema?.properties ?? {})) {
    const own = path === "" ? name : `${path}.${name}`;
    fields.add(own);
    for (const below of fieldsOf(field, own)) fields.add(below);
  }
  for (const inner of [schema?.items, schema?.additionalProperties])
    if (typeof inner === "object") for (const below of fieldsOf(inner, `${path}[]`)) fields.add(below);
  return fields;
}

/** What a valid object has to fulfil: by the path of each field, the fields that are required in it, and its rules. */
function rulesOf(schema: StructuralSchema | undefined, path = ""): ReadonlyMap<string, string> {
  const rules = new Map<string, string>();
  if (schema === undefined) return rules;
  const { additionalProperties, items, properties = {}, required = [] } = schema;
  rules.set(path, JSON.stringify([required.toSorted(), ruleTexts(schema["x-kubernetes-validations"]).toSorted()]));
  const inner = [
    ...Object.entries(properties).map(([name, field]) => [path === "" ? name : `${path}.${name}`, field] as const),
    ...[items, additionalProperties].map((field) => [`${path}[]`, field] as const),
  ];
  for (const [at, field] of inner)
    if (typeof field === "object") for (const [name, text] of rulesOf(field, at)) rules.set(name, text);
  return rules;
}

function ruleTexts(validations: unknown): readonly string[] {
  if (!Array.isArray(validations)) return [];
  return validations.map((one: { readonly rule?: unknown }) => String(one.rule));
}
