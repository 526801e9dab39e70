import type { AnswerText } from "#src/commands/output/answer-format.ts";
import { csvTable } from "#src/commands/output/csv.ts";
import { personText } from "#src/commands/output/person-text.ts";
import { assumptionText, declaredText, identityText } from "./access-view.ts";
import { loginGrantText, type LoginGrantView } from "./login-grant-view.ts";
import type { ReportContent, ReportedLink } from "./report-content.ts";

/** What no report can have, for every format that people read. */
export const notIncluded = "Not included: holders of admin tokens of the platform, who can do everything.";

/** The report for a terminal, and for a comment. */
export function reportText(content: ReportContent, declarationsNote: string | undefined): AnswerText {
  const { loginGrants, roleBindings, unknown } = content;
  return {
    heading: headingOf(content),
    table: {
      titles: ["IDENTITY", "ROLE", "GROUP", "BOUND SINCE", "LAST SEEN", "DECLARED BY"],
      rows: roleBindings.map((link) => [
        identityText(link.identity) + (link.expired === undefined ? "" : " (keys expired)"),
        link.role.name,
        link.group.path + (link.reach === "above" ? " (above)" : ""),
        link.roleBinding.createTime ?? "",
        lastSeen(link),
        declaredText(link.roleBinding.declaredBy),
      ]),
    },
    notes: [
      ...loginGrants.map((login) => loginGrantText(login)),
      ...unknown.map(({ message }) => `Unknown: ${message}.`),
      ...(declarationsNote === undefined || roleBindings.length === 0 ? [] : [declarationsNote]),
      `${notIncluded} -o html prints a page with a tree and a filter, and -o csv a table for spreadsheets.`,
    ],
  };
}

/** How many identities have access, and how much of that nobody declared. */
export function headingOf({ complete, group, roleBindings }: ReportContent): string {
  const atLeast = complete ? "" : "at least ";
  const identities = new Set(roleBindings.map(({ identity }) => identity.uid)).size;
  const undeclared = undeclaredCount(roleBindings);
  const counts = `${counted(identities, "identity", "identities")} through ${counted(roleBindings.length, "role binding", "role bindings")}`;
  const also = undeclared === 0 ? "" : `, of which ${undeclared} ${undeclared === 1 ? "is" : "are"} undeclared`;
  return `Access to ${group.path} and below: ${atLeast}${counts}${also}.`;
}

export function undeclaredCount(links: readonly ReportedLink[]): number {
  return links.filter(({ roleBinding }) => roleBinding.declaredBy === "undeclared").length;
}

/** When the identity was last assumed: RFC 3339, `never`, or `unknown` if the identity cannot be read. */
export function lastSeen({ identity }: Pick<ReportedLink, "identity">): string {
  return identity.assumedBy === undefined ? "unknown" : (identity.lastSeenTime ?? "never");
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The report for spreadsheets: a row for each role binding. What could not be read has rows, too, before all others. */
export function reportCsv({ group, loginGrants, roleBindings, roles, unknown }: ReportContent): string {
  const capabilitiesOf = new Map(roles.map(({ capabilities, uid }) => [uid, capabilities?.join(" ") ?? "unknown"]));
  const unread = unknown.map(({ message }) => ["unknown access", message, ...titles.slice(2).map(() => "")]);
  const rows = roleBindings.map((link) => {
    const { expired, group: where, identity, reach, role, roleBinding } = link;
    const { declaredBy } = roleBinding;
    return [
      typeof declaredBy === "string" ? declaredBy : "declared",
      identity.path,
      identity.person === undefined ? "" : personText(identity.person),
      assumptionText(identity),
      role.name,
      capabilitiesOf.get(role.uid) ?? "",
      where.path,
      reachText(reach, group.path),
      typeof declaredBy === "string" ? "" : declaredText(declaredBy),
      roleBinding.createTime ?? "",
      typeof declaredBy === "string" ? "" : (declaredBy.expiresAt ?? ""),
      lastSeen(link),
      expired ?? "",
      declaredText(identity.declaredBy),
      identity.uid,
      where.uid,
      role.uid,
      roleBinding.uid,
    ];
  });
  return csvTable(titles, [...unread, ...loginGrants.map(loginRow), ...rows]);
}

/** A row for those who are not identities yet. */
function loginRow({ capabilities, declaredBy, group, invite, role, uid, who }: LoginGrantView): readonly string[] {
  const cells: Readonly<Record<string, string>> = {
    STATE: typeof declaredBy === "string" ? declaredBy : "declared",
    IDENTITY: who,
    ROLE: role.name,
    CAPABILITIES: capabilities?.join(" ") ?? "unknown",
    GROUP: group.path,
    "DECLARED BY": typeof declaredBy === "string" ? "" : declaredText(declaredBy),
    EXPIRES: invite?.expirationTime ?? "",
    "IDENTITY UID": uid,
    "GROUP UID": group.uid,
    "ROLE UID": role.uid,
  };
  return titles.map((title) => cells[title] ?? "");
}

const titles = [
  "STATE",
  "IDENTITY",
  "PERSON",
  "ASSUMED BY",
  "ROLE",
  "CAPABILITIES",
  "GROUP",
  "REACH",
  "DECLARED BY",
  "BOUND SINCE",
  "EXPIRES",
  "LAST SEEN",
  "KEYS EXPIRED",
  "IDENTITY DECLARED BY",
  "IDENTITY UID",
  "GROUP UID",
  "ROLE UID",
  "ROLE BINDING UID",
];

function reachText(reach: ReportedLink["reach"], path: string): string {
  return { above: `above ${path}: applies in all of it`, here: path, below: `below ${path}` }[reach];
}
