import { parentOf } from "#src/platform-client/uid.ts";
import { type Html, html } from "#src/platform/login/html.ts";
import type { GroupView } from "./access-view.ts";
import type { ReportContent } from "./report-content.ts";

/** The groups of a report as a nested list, each with the number of role bindings in it. The script makes it a tree. */
export function groupTree({ group, groups, roleBindings }: ReportContent): Html {
  const counts = Map.groupBy(roleBindings, (link) => link.group.uid);
  const children = Map.groupBy(groups, ({ uid }) => parentOf(uid) ?? "");
  const indexes = new Map(groups.map(({ uid }, index) => [uid, index]));
  const nested = (parent: GroupView): Html => {
    const below = children.get(parent.uid) ?? [];
    const count = counts.get(parent.uid)?.length ?? 0;
    const reach = parent.uid === group.uid ? "here" : group.uid.startsWith(`${parent.uid}/`) ? "above" : "below";
    return html`<li data-reach="${reach}"><div class="group" id="g${indexes.get(parent.uid)}" data-path="${parent.path}"><span class="name">${nameOf(parent, groups[indexes.get(parentOf(parent.uid) ?? "") ?? -1])}</span> <small>${count === 0 ? "" : count}</small></div>${below.length === 0 ? undefined : html`<ul>${below.map(nested)}</ul>`}</li>
`;
  };
  return html`<ul id="tree" aria-labelledby="groups">${(children.get("") ?? []).map(nested)}</ul>`;
}

/** A group without the path of the group that contains it. */
function nameOf({ path }: GroupView, parent: GroupView | undefined): string {
  // Of two groups with one path, what follows it is not part of the path of those below.
  const above = parent?.path.replace(/ \([0-9a-f]+\)$/, "");
  return above !== undefined && path.startsWith(`${above}/`) ? path.slice(above.length + 1) : path;
}
