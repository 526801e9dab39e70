import type { TenantSpec } from "#src/api/tenant.ts";

export type LabelSelector = NonNullable<TenantSpec["namespaceSelector"]>;
type Requirement = NonNullable<LabelSelector["matchExpressions"]>[number];

/**
 * Whether the labels meet every requirement of the selector, with the semantics of Kubernetes: NotIn and DoesNotExist also
 * match if the label is absent. A requirement that Kubernetes would reject (In or NotIn without values, Exists or DoesNotExist
 * with values) matches nothing.
 */
export function matchesLabels(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((requirement) => meets(requirement, labels))
  );
}

function meets({ key, operator, values = [] }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = labelOf(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return values.length > 0 && (value === undefined || !values.includes(value));
    case "Exists":
      return values.length === 0 && value !== undefined;
    case "DoesNotExist":
      return values.length === 0 && value === undefined;
  }
}

/** A key such as `constructor` is a valid label, and must not find what every object inherits. */
function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
