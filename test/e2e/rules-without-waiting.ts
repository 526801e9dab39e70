import { type AlertingRule, readRules, ruleFile } from "#test/monitoring/rules.ts";

/** What alerts wait for in their expressions, shortened: minutes and hours take too long here. */
const shortened: Readonly<Record<string, readonly (readonly [before: string, after: string])[]>> = {
  MusterObjectNotReady: [["> 1800", "> 5"]],
  MusterQueueStuck: [["> 300", "> 5"]],
  MusterSlow: [["> 30", "> 10"]],
  MusterPlatformAuditExportLate: [["> 600", "> 5"]],
  MusterPlatformSigningKeyOld: [
    ["> 1.1 *", "> 1 *"],
    ["+ 7200", "+ 5"],
  ],
};

/** Copies of the rules in which no alert has to wait (`for`), as rule files. */
export const rulesWithoutWaiting = (): Promise<readonly string[]> =>
  Promise.all([withoutWaiting("operator"), withoutWaiting("platform")]);

async function withoutWaiting(component: "operator" | "platform"): Promise<string> {
  const { groups } = await readRules(component);
  const rulesOf = (rules: readonly AlertingRule[]) =>
    rules.map((rule) => ({ ...rule, expr: shorten(rule), for: "0s" }));
  return ruleFile({ groups: groups.map((group) => ({ ...group, rules: rulesOf(group.rules) })) });
}

function shorten({ alert, expr }: AlertingRule): string {
  return (shortened[alert] ?? []).reduce((text, [before, after]) => {
    if (!text.includes(before)) throw new Error(`${alert} has no "${before}": ${text}`);
    return text.replace(before, after);
  }, expr);
}
