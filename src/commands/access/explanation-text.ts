import type { Decision } from "#src/access/explain.ts";
import type { AnswerText } from "#src/commands/output/answer-format.ts";
import { personText } from "#src/commands/output/person-text.ts";
import {
  assumptionText,
  declaredText,
  type GroupView,
  identityText,
  type IdentityView,
  type LinkView,
  type UnreadView,
} from "./access-view.ts";
import { loginGrantText, type LoginGrantView } from "./login-grant-view.ts";

/** The answer of `muster access explain`, for programs. */
export interface Explanation {
  readonly answer: Decision;
  readonly capability: string;
  readonly group: GroupView;
  readonly identity: IdentityView;
  /** What the token is limited to that the question is about; absent if it is not limited. */
  readonly token?: { readonly groups?: readonly GroupView[]; readonly capabilities?: readonly string[] };
  /** RFC 3339: when the identity's static keys have expired. */
  readonly expired?: string;
  /** What grants the capability, from the root down. */
  readonly through: readonly LinkView[];
  /** What applies in the group, with roles that cannot be read. */
  readonly undecided: readonly LinkView[];
  /** What applies in the group, and does not grant it. */
  readonly others: readonly (LinkView & { readonly reason: "the role" | "the limits of the token" })[];
  /** What gives it to people who log in, as the identity or as another one, or may give it. */
  readonly loginGrants: readonly LoginGrantView[];
  readonly unknown: readonly UnreadView[];
  /** The built-in roles that have the capability. */
  readonly builtInRoles: readonly string[];
}

/** The same for people: the chain from the identity to the group. */
export function explanationText(explanation: Explanation, declarationsNote: string | undefined): AnswerText {
  const {
    answer,
    builtInRoles,
    capability,
    expired,
    group,
    identity,
    loginGrants,
    others,
    through,
    token,
    undecided,
    unknown,
  } = explanation;
  const lacks = { "the role": "does not have", "the limits of the token": "has, unlike the token," } as const;
  const rows = [
    ["Identity", pathAndUid(identity)],
    ...(identity.person === undefined ? [] : [["", `person: ${personText(identity.person)}`]]),
    ["", `assumed by: ${assumptionText(identity)}`],
    ["", `last seen: ${identity.assumedBy === undefined ? "unknown" : (identity.lastSeenTime ?? "never")}`],
    ...declaredRows(identity),
    ...through.flatMap((link) => linkRows("Through", link, `has ${capability}`, group)),
    ...undecided.flatMap((link) => linkRows("Perhaps", link, "cannot be read", group)),
    ...others.flatMap((link) => linkRows("Not through", link, `${lacks[link.reason]} ${capability}`, group)),
    ["Group", pathAndUid(group)],
    ...declaredRows(group),
  ];
  const notes = [
    ...loginGrants.map((login) => loginGrantText(login)),
    ...unknown.map(({ message }) => `Unknown: ${message}.`),
    ...(answer === "no" && expired === undefined && token === undefined
      ? [`Built-in roles that have ${capability}: ${builtInRoles.join(", ")}.`]
      : []),
    ...(declarationsNote === undefined ? [] : [declarationsNote]),
  ];
  return { heading: headingOf(explanation), table: { titles: ["", ""], rows }, notes };
}

function headingOf({ answer, capability, expired, group, identity, token }: Explanation): string {
  const subject = `${identityText(identity)}${token === undefined ? "" : `, with a token that is limited to ${limitsText(token)},`}`;
  if (expired !== undefined)
    return `No: the static keys of ${identityText(identity)} expired at ${expired}, so nobody can use it.`;
  switch (answer) {
    case "yes":
      return `Yes: ${subject} has ${capability} in ${group.path}.`;
    case "no":
      return `No: ${subject} does not have ${capability} in ${group.path}.`;
    case "unknown":
      return `Unknown: whether ${subject} has ${capability} in ${group.path} depends on what you cannot read.`;
  }
}

function limitsText({ capabilities, groups }: NonNullable<Explanation["token"]>): string {
  const where = groups?.map(({ path }) => path).join(", ");
  return [capabilities?.join(", "), where].filter((text) => text !== undefined).join(" in ");
}

/** What cannot be read has its uid as its path. */
function pathAndUid({ path, uid }: GroupView | IdentityView): string {
  return path === uid ? uid : `${path} (${uid})`;
}

/** Nothing where the cluster was not read: one note says it. */
function declaredRows({ declaredBy }: Pick<GroupView, "declaredBy">, indent = ""): readonly (readonly string[])[] {
  return declaredBy === "unknown" ? [] : [["", `${indent}declared by: ${declaredText(declaredBy)}`]];
}

function linkRows(
  title: string,
  { group, role, roleBinding }: LinkView,
  effect: string,
  asked: GroupView,
): readonly (readonly string[])[] {
  return [
    [title, `role binding ${roleBinding.uid}`],
    ["", `created: ${roleBinding.createTime ?? "unknown"}`],
    ...declaredRows(roleBinding),
    ["", `role: ${role.name} (${role.builtIn ? "built in" : role.uid}), which ${effect}`],
    ...(role.declaredBy === undefined ? [] : declaredRows({ declaredBy: role.declaredBy }, "  ")),
    ...(group.uid === asked.uid
      ? [["", "in the group itself"]]
      : [["", `in the group above: ${pathAndUid(group)}`], ...declaredRows(group, "  ")]),
  ];
}
