import { dottedCapability } from "#src/access/capability-name.ts";
import { markdownList, markdownTable, markdownText } from "#src/commands/output/markdown.ts";
import { noteOf } from "#src/commands/output/note.ts";
import { formatValue } from "#src/commands/output/output-format.ts";
import { visibleLines, visibleText } from "#src/commands/output/visible-text.ts";
import { shortList } from "#src/text/short-list.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { isPlanned, withNumbers } from "#src/plan/planned-uid.ts";
import type { FieldChange, ObjectName, Plan, PlannedChange } from "#src/plan/plan.ts";
import { accessMarkdown, accessText } from "./format-access.ts";
import type { PlannedAccess } from "./planned-access.ts";
import type { NotPlanned } from "./read-manifests.ts";
import type { PlanValues } from "./settings.ts";

/** A plan with what it makes of what everybody may do; absent if it writes nothing to the platform. */
export interface ShownPlan extends Plan {
  readonly access?: PlannedAccess;
  /** What else is in the files: objects of other groups. Absent if there is nothing else. */
  readonly notPlanned?: readonly NotPlanned[];
}

/** @returns the plan as text that ends with a line break */
export async function formatPlan(plan: ShownPlan, format: PlanValues["output"]): Promise<string> {
  switch (format) {
    case "json":
    case "yaml":
      return formatValue(format, plan, []);
    case "markdown":
      return asMarkdown(plan);
    case "table":
      return asText(plan);
  }
}

/** One line, such as `2 to create, 1 to update; 1 refused`. */
export function summaryOf({ changes, refusals, unproven }: Plan): string {
  const counts = new Map<string, number>();
  for (const { action } of changes) counts.set(action, (counts.get(action) ?? 0) + 1);
  const parts = [...counts].map(([action, count]) => `${count} to ${action}`).join(", ");
  const others = [
    ...(refusals.length === 0 ? [] : [`${refusals.length} refused`]),
    ...(unproven.length === 0 ? [] : [`${unproven.length} not seen`]),
  ];
  return [parts, ...others].filter((part) => part !== "").join("; ") || "nothing to do";
}

/** Of a list, such as the capabilities of a role, no more items are shown. */
const shownItems = 100;

const signs = { create: "+", recreate: "+", adopt: "~", update: "~", delete: "-", keep: "=" } as const;

function asText({ access, notPlanned, ...plan }: ShownPlan): string {
  const blocks = plan.changes.map((change) =>
    [
      `${signs[change.action]} ${change.action} ${change.resource.noun} ${nameOf(change)}  (${objectText(change.object)})`,
      ...change.fields.map((field) => `      ${fieldText(field)}`),
      `    ${change.reason}`,
      ...(change.condition === undefined
        ? []
        : [`    ${change.condition.type}=${change.condition.status} ${change.condition.reason}`]),
    ].join("\n"),
  );
  for (const { object, condition } of plan.refusals)
    blocks.push(
      `! ${objectText(object)}\n    ${condition.type}=${condition.status} ${condition.reason}\n    ${oneLine(condition.message)}`,
    );
  for (const { capability, group } of plan.unproven)
    blocks.push(
      `? You do not have ${dottedCapability(capability)} in ${group}: what is there, and what would change, is not known.`,
    );
  blocks.push(`Plan: ${summaryOf(plan)}.`);
  if (notPlanned !== undefined) blocks.push(notPlannedText(notPlanned));
  const text = `${blocks.join("\n\n")}\n`;
  return visibleLines(access === undefined ? text : `${text}\n${accessText(access)}`);
}

function asMarkdown({ access, notPlanned, ...plan }: ShownPlan): string {
  const changes = plan.changes.map((change) => [
    change.action,
    `${change.resource.noun} ${nameOf(change)}`,
    objectText(change.object),
    change.fields.map(fieldText).join("; "),
    change.reason,
    change.condition === undefined ? "" : `${change.condition.status} ${change.condition.reason}`,
  ]);
  const refusals = plan.refusals.map(({ object, condition }) =>
    noteOf(oneLine(`Refused: ${objectText(object)}: ${condition.reason}: ${condition.message}`)),
  );
  const unproven = plan.unproven.map(({ capability, group }) => [dottedCapability(capability), group]);
  const parts = [
    `**Plan: ${summaryOf(plan)}.**\n`,
    changes.length === 0 ? "" : markdownTable(["Change", "Resource", "Object", "Fields", "Why", "Condition"], changes),
    // Not a table: in a cell, a command could not be copied.
    markdownList(refusals),
    unproven.length === 0 ? "" : markdownTable(["Not seen: you do not have", "in"], unproven),
    notPlanned === undefined ? "" : `${markdownText(notPlannedText(notPlanned))}\n`,
    access === undefined ? "" : accessMarkdown(access),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** More kinds are not named. */
const shownKinds = 20;

function notPlannedText(kinds: readonly NotPlanned[]): string {
  const names = kinds.map(({ apiVersion, count, kind }) => `${count} ${oneLine(kind)} of ${oneLine(apiVersion)}`);
  return `Not planned, because the operator does not read them: ${shortList(names, shownKinds)}.`;
}

function objectText({ kind, namespace, name }: ObjectName): string {
  return `${namespace}/${kind}/${name}`;
}

function nameOf({ resource: { name, uid, group = "" } }: PlannedChange): string {
  const where = isPlanned(uid) ? `in ${withNumbers(group)}` : uid;
  return name === undefined ? where : `${oneLine(name)} ${where}`;
}

function fieldText({ field, from, to, toName }: FieldChange): string {
  const text = toName === undefined ? valueText(to) : `${oneLine(toName)} (${valueText(to)})`;
  return from === null ? `${field}: ${text}` : `${field}: ${valueText(from)} → ${text}`;
}

function valueText(value: unknown): string {
  if (value === null) return "none";
  if (Array.isArray(value)) {
    const more = value.length > shownItems ? `, and ${value.length - shownItems} more` : "";
    return `[${value.slice(0, shownItems).map(valueText).join(", ")}${more}]`;
  }
  return typeof value === "string"
    ? withNumbers(visibleText(JSON.stringify(value).slice(1, -1)))
    : oneLine(JSON.stringify(value));
}
