import type { KubeObject } from "#src/kube/object.ts";
import type { ShippedBinding, ShippedPolicy } from "./shipped-policies.ts";

/** A `ValidatingAdmissionPolicy` or `MutatingAdmissionPolicy`, as far as it is compared. */
export interface InstalledPolicy extends KubeObject {
  readonly spec?: {
    readonly failurePolicy?: string;
    readonly paramKind?: { readonly kind?: string };
    readonly matchConstraints?: Match;
    readonly matchConditions?: readonly { readonly name?: string }[];
    readonly validations?: readonly unknown[];
    readonly mutations?: readonly unknown[];
  };
}

/** Its binding. */
export interface InstalledBinding extends KubeObject {
  readonly spec?: {
    readonly policyName?: string;
    readonly validationActions?: readonly string[];
    readonly matchResources?: Match;
    readonly paramRef?: object;
  };
}

interface Match {
  readonly namespaceSelector?: Selector;
  readonly objectSelector?: Selector;
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key?: string; readonly operator?: string }[];
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope?: string;
}

/** What an installed policy does less than the one that is shipped: each a clause that names the field. */
export function policyFlaws(shipped: ShippedPolicy, { metadata, spec = {} }: InstalledPolicy): readonly string[] {
  const { matchConstraints = {}, matchConditions = [], paramKind } = spec;
  const uncovered = shipped.resources.filter((resource) => !covers(matchConstraints.resourceRules, shipped, resource));
  const conditions = matchConditions.map(({ name = "" }) => name);
  const more = conditions.filter((name) => !shipped.conditions.includes(name));
  const fewer = shipped.conditions.filter((name) => !conditions.includes(name));
  const rules = shipped.type === "Validating" ? "validations" : "mutations";
  return [
    ...(metadata.deletionTimestamp === undefined ? [] : ["it is being deleted"]),
    ...(uncovered.length === 0
      ? []
      : [`spec.matchConstraints does not cover ${shipped.operations.join(" and ")} of ${uncovered.join(", ")}`]),
    ...narrowing("spec.matchConstraints", matchConstraints, shipped.label),
    ...(spec.failurePolicy === shipped.failurePolicy ? [] : [`spec.failurePolicy is not ${shipped.failurePolicy}`]),
    ...(more.length === 0 ? [] : [`spec.matchConditions has ${more.join(", ")}, which exempts requests`]),
    ...(fewer.length === 0 ? [] : [`spec.matchConditions lacks ${fewer.join(", ")}`]),
    ...((spec[rules]?.length ?? 0) < shipped.rules ? [`spec.${rules} has fewer than ${shipped.rules} entries`] : []),
    ...(paramKind?.kind === shipped.paramKind ? [] : [`spec.paramKind is not ${shipped.paramKind ?? "absent"}`]),
  ];
}

/** What an installed binding does less than the one that is shipped. @param policyName of the policy that it should bind */
export function bindingFlaws(
  shipped: ShippedPolicy,
  { hasParameters }: ShippedBinding,
  policyName: string,
  { metadata, spec = {} }: InstalledBinding,
): readonly string[] {
  const { matchResources = {}, paramRef, validationActions = [] } = spec;
  const missing = shipped.actions.filter((action) => !validationActions.includes(action));
  const rules = matchResources.resourceRules ?? [];
  return [
    ...(metadata.deletionTimestamp === undefined ? [] : ["its binding is being deleted"]),
    ...(spec.policyName === policyName ? [] : ["spec.policyName of its binding names another policy"]),
    ...(missing.length === 0 ? [] : [`spec.validationActions of its binding lacks ${missing.join(", ")}`]),
    ...narrowing("spec.matchResources of its binding", matchResources, undefined),
    ...(rules.length === 0 ? [] : ["spec.matchResources.resourceRules of its binding limits it to some requests"]),
    ...((paramRef !== undefined) === hasParameters
      ? []
      : [`spec.paramRef of its binding ${paramRef === undefined ? "is missing" : "must be absent"}`]),
  ];
}

/** Selectors and exceptions for which requests escape. */
function narrowing(path: string, match: Match, label: string | undefined): readonly string[] {
  const { namespaceSelector, objectSelector, excludeResourceRules = [] } = match;
  const isExpected = label === undefined ? selectsAll(objectSelector) : selectsLabel(objectSelector, label);
  return [
    ...(selectsAll(namespaceSelector) ? [] : [`${path} has a namespaceSelector, which exempts namespaces`]),
    ...(isExpected ? [] : [`${path} has another objectSelector, which exempts objects`]),
    ...(excludeResourceRules.length === 0 ? [] : [`${path} has excludeResourceRules, which exempt requests`]),
  ];
}

function selectsAll({ matchExpressions = [], matchLabels = {} }: Selector = {}): boolean {
  return matchExpressions.length === 0 && Object.keys(matchLabels).length === 0;
}

function selectsLabel({ matchExpressions = [], matchLabels = {} }: Selector = {}, label: string): boolean {
  const [first, ...others] = matchExpressions;
  const isLabel = first?.key === label && first.operator === "Exists" && others.length === 0;
  return isLabel && Object.keys(matchLabels).length === 0;
}

/** Whether the rules have every operation on a resource, of every name. */
function covers(rules: readonly Rule[] = [], shipped: ShippedPolicy, resource: string): boolean {
  const has = (values: readonly string[] | undefined, value: string) =>
    values?.includes(value) === true || values?.includes("*") === true;
  const isCovered = (values: readonly string[] = []) =>
    values.includes(resource) || values.includes("*/*") || (values.includes("*") && !resource.includes("/"));
  const scopes = [undefined, "*", resource.startsWith("tenants") ? "Cluster" : "Namespaced"];
  const matching = rules.filter(
    (rule) =>
      shipped.groups.every((group) => has(rule.apiGroups, group)) &&
      has(rule.apiVersions, shipped.version) &&
      isCovered(rule.resources) &&
      (rule.resourceNames ?? []).length === 0 &&
      scopes.includes(rule.scope),
  );
  return shipped.operations.every((operation) => matching.some((rule) => has(rule.operations, operation)));
}
