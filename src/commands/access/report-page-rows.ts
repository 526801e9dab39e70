import { type Html, html } from "#src/platform/login/html.ts";
import { personText } from "#src/commands/output/person-text.ts";
import { assumptionText, type DeclaredBy, declaredText } from "./access-view.ts";
import { capabilitySummary } from "./capability-summary.ts";
import type { ReportContent, ReportedLink } from "./report-content.ts";
import { lastSeen } from "./report-text.ts";

/** The rows of the table: who, what, where and why. */
export function bindingRows({ groups, roleBindings, roles }: ReportContent): readonly Html[] {
  const groupIndex = new Map(groups.map(({ uid }, index) => [uid, index]));
  const known = new Map(
    roles.map(({ capabilities, uid }, index) => [
      uid,
      { index, summary: capabilities === undefined ? "unknown" : capabilitySummary(capabilities) },
    ]),
  );
  return roleBindings.map((link) => {
    const { group, identity, reach, role, roleBinding } = link;
    const { declaredBy } = roleBinding;
    const { index, summary } = known.get(role.uid) ?? {};
    return html`<tr class="${declaredBy === "undeclared" ? "undeclared" : ""}" data-declared="${typeof declaredBy === "string" ? declaredBy : "declared"}" data-group="${groupIndex.get(group.uid)}" data-role="r${index}">
<td data-title="Who"><div><b>${breakable(identity.path)}</b>${identityTags(link)}${identity.person === undefined ? undefined : html`<small>${personText(identity.person)}</small>`}<small>${assumptionText(identity)}</small><small>last seen: ${toTheSecond(lastSeen(link))}</small></div></td>
<td data-title="What"><div><a href="#r${index}">${role.name}</a><small>${summary}</small></div></td>
<td data-title="Where"><div>${breakable(group.path)}${reach === "above" ? html`<small>above: applies in all of it</small>` : undefined}</div></td>
<td data-title="Why"><div>${declaredTag(declaredBy)}${roleBinding.createTime === undefined ? undefined : html`<small>bound since ${toTheSecond(roleBinding.createTime)}</small>`}<small>role binding ${roleBinding.uid.slice(roleBinding.uid.lastIndexOf("/") + 1)}</small></div></td>
</tr>
`;
  });
}

/** A path that a browser breaks after a slash, and not within a name. */
function breakable(path: string): readonly Html[] {
  return path.split("/").map((name, index) => (index === 0 ? html`${name}` : html`/<wbr>${name}`));
}

/** A time of RFC 3339 without the fraction of its second. */
function toTheSecond(time: string): string {
  return time.replace(/(:\d\d)\.\d+/, "$1");
}

function identityTags({ expired, identity }: ReportedLink): Html {
  return html`${expired === undefined ? undefined : html` <span class="tag">keys expired ${expired}</span>`}${identity.declaredBy === "undeclared" ? html` <span class="tag bad">identity undeclared</span>` : undefined}`;
}

function declaredTag(declaredBy: DeclaredBy): Html {
  if (declaredBy === "undeclared") return html`<span class="tag bad">undeclared</span>`;
  if (declaredBy === "unknown") return html`<span class="tag">declaration unknown</span>`;
  return html`${declaredBy.kind} ${declaredText(declaredBy)}`;
}
