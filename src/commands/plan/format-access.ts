import { assumptionText, declaredText } from "#src/commands/access/access-view.ts";
import { capabilitySummary } from "#src/commands/access/capability-summary.ts";
import { markdownTable, markdownText } from "#src/commands/output/markdown.ts";
import { withNumbers } from "#src/plan/planned-uid.ts";
import type {
  PlannedAccess,
  PlannedAccessChange,
  PlannedAssumptionChange,
  PlannedLoginGrant,
} from "./planned-access.ts";

/** Whoever approves a change has to see all that somebody gains. No platform of the contract has as many capabilities. */
const namedCapabilities = 100;

/** The access difference as text that ends with a line break. */
export function accessText(access: PlannedAccess): string {
  const blocks = [
    headingOf(access),
    ...access.changes.map((change) =>
      [
        `${signOf(change)} ${pathOf(change.identity)} ${verbOf(change)} capabilities in ${whereOf(change)}`,
        `      ${whatOf(change)}`,
        `    through ${throughOf(change)}`,
        `    assumed by: ${assumptionText(change.identity)}`,
      ].join("\n"),
    ),
    ...access.assumptions.map((change) =>
      [
        `* ${pathOf(change.identity)} can be assumed by others`,
        `    before: ${assumptionText(change.before)}`,
        `    after:  ${assumptionText(change.after)}`,
        `    ${consequenceOf(change)}`,
      ].join("\n"),
    ),
    ...access.loginGrants.map((change) =>
      [
        `${change.change === "gains" ? "+" : "-"} ${loginSentence(change)}`,
        `      ${whatOf(change)}`,
        `    declared by: ${declaredText(change.declaredBy)}`,
      ].join("\n"),
    ),
    ...access.unknown.map(({ message }) => `? Unknown: ${message}.`),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** The access difference as GitHub Flavored Markdown. */
export function accessMarkdown(access: PlannedAccess): string {
  const changes = access.changes.map((change) => [
    verbOf(change),
    pathOf(change.identity),
    whatOf(change),
    whereOf(change),
    throughOf(change),
    assumptionText(change.identity),
  ]);
  const assumptions = access.assumptions.map((change) => [
    pathOf(change.identity),
    assumptionText(change.before),
    assumptionText(change.after),
    consequenceOf(change),
  ]);
  const parts = [
    `**${markdownText(headingOf(access))}**\n`,
    changes.length === 0
      ? ""
      : markdownTable(["Access", "Identity", "Capabilities", "In", "Through", "Assumed by"], changes),
    assumptions.length === 0
      ? ""
      : markdownTable(["Assumed by others", "Before", "After", "What it may do"], assumptions),
    access.loginGrants
      .map((change) => `- ${markdownText(loginSentence(change))}: ${markdownText(whatOf(change))}\n`)
      .join(""),
    access.unknown.map(({ message }) => `- Unknown: ${markdownText(message)}.\n`).join(""),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** One line, such as `Access: 1 identity gains capabilities, 2 lose some.` */
function headingOf({ assumptions, changes, complete, loginGrants }: PlannedAccess): string {
  const count = (wanted: PlannedAccessChange["change"]) =>
    new Set(changes.filter(({ change }) => change === wanted).map(({ identity }) => identity.uid)).size;
  const parts = [
    sentence(count("gains"), "gains capabilities", "gain capabilities"),
    sentence(count("loses"), "loses capabilities", "lose capabilities"),
    sentence(assumptions.length, "can be assumed by others", "can be assumed by others"),
    loginGrants.length === 0 ? "" : "people who log in get other roles",
  ].filter((part) => part !== "");
  if (parts.length === 0)
    return complete ? "Access: nobody gains or loses anything." : "Access: what changes is unknown.";
  return `Access: ${parts.join(", ")}${complete ? "" : ", as far as you can see"}.`;
}

function sentence(count: number, one: string, many: string): string {
  if (count === 0) return "";
  return count === 1 ? `1 identity ${one}` : `${count} identities ${many}`;
}

/** Such as `anybody who logs in through the identity provider web (issuer …) now gets viewer in acme/shop and below`. */
function loginSentence({ change, group, role, who }: PlannedLoginGrant): string {
  return `${who} ${change === "gains" ? "now gets" : "no longer gets"} ${nameOf(role)} in ${pathOf(group)} and below`;
}

function signOf({ certain, change }: PlannedAccessChange): string {
  if (!certain) return "?";
  return change === "gains" ? "+" : "-";
}

function verbOf({ certain, change }: PlannedAccessChange): string {
  if (certain) return change;
  return change === "gains" ? "may gain" : "may lose";
}

function whatOf({ capabilities }: Pick<PlannedAccessChange, "capabilities">): string {
  return capabilities === undefined
    ? "all of its role, which you cannot read"
    : capabilitySummary(capabilities, namedCapabilities);
}

function whereOf({ except, group }: PlannedAccessChange): string {
  const below = `${pathOf(group)} and below`;
  return except.length === 0 ? below : `${below}, except in ${except.map(pathOf).join(", ")} and below`;
}

function throughOf({ through }: PlannedAccessChange): string {
  return through.map(({ role, roleBinding }) => `${nameOf(role)} (${declaredText(roleBinding.declaredBy)})`).join(", ");
}

/** Such as `whoever can assume it now has viewer in acme/shop and below`. */
function consequenceOf({ after: { grants } }: PlannedAssumptionChange): string {
  const granted = grants.map(({ group, role }) => `${nameOf(role)} in ${pathOf(group)} and below`).join(", ");
  return granted === "" ? "it has no role bindings that you can read" : `whoever can assume it now has ${granted}`;
}

function nameOf({ name }: { readonly name: string }): string {
  return withNumbers(name);
}

function pathOf({ path }: { readonly path: string }): string {
  return withNumbers(path);
}
