import { readFile } from "node:fs/promises";
import { stringify, parse } from "yaml";

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  /** How long the expression must be true, such as `5m`. */
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertingRule[] }[];
}

/** The rules in the PrometheusRule of a component in `deploy/monitoring`. */
export async function readRules(component: "operator" | "platform"): Promise<RuleFile> {
  const url = new URL(`../../deploy/monitoring/${component}/rules.yaml`, import.meta.url);
  return (parse(await readFile(url, "utf8")) as { readonly spec: RuleFile }).spec;
}

/** The same as a rule file of Prometheus. */
export function ruleFile(rules: RuleFile): string {
  return stringify(rules);
}

export function alertsIn({ groups }: RuleFile): readonly AlertingRule[] {
  return groups.flatMap(({ rules }) => rules);
}
