import { createHash } from "node:crypto";
import { type Html, html } from "#src/platform/login/html.ts";
import { loginGrantText } from "./login-grant-view.ts";
import type { ReportContent, ReportedRole } from "./report-content.ts";
import { bindingRows } from "./report-page-rows.ts";
import { reportPageScript } from "./report-page-script.ts";
import { reportPageStyle } from "./report-page-style.ts";
import { headingOf, notIncluded, undeclaredCount } from "./report-text.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { GroupView } from "./access-view.ts";

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Nothing is loaded, nothing is sent, and no other script or style runs: even if a name were read as HTML. */
const policy = `default-src 'none'; style-src ${hashOf(reportPageStyle)}; script-src ${hashOf(reportPageScript)}; base-uri 'none'; form-action 'none'`;

/** The report as one file that a browser shows without a network. Texts of the platform have no meaning in it. */
export function reportPage(content: ReportContent, declarationsNote: string | undefined): string {
  const { group, loginGrants, roleBindings, roles, unknown } = content;
  const head = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Access to ${group.path}</title>
`;
  const body = html`
</head>
<body>
<a class="skip" href="#bindings">Skip to the role bindings</a>
<header>
<h1>Who may do what in ${group.path}</h1>
<p class="quiet">${headingOf(content)} Read from ${content.platform} at ${content.time}.</p>
</header>
<main>
${unknown.length === 0 ? undefined : unknownNote(unknown.map(({ message }) => message))}
${declarationsNote === undefined ? undefined : html`<p class="note">${declarationsNote}</p>`}
${facts(content, declarationsNote === undefined)}
${filter(roles, declarationsNote === undefined)}
<div class="columns">
<nav aria-labelledby="groups"><h2 id="groups">Groups</h2>${groupTree(content)}</nav>
<section class="bindings" id="bindings" tabindex="-1" aria-labelledby="shown">
<h2 id="shown" role="status">${roleBindings.length} role bindings</h2>
<table>
<thead><tr><th scope="col">Who</th><th scope="col">What</th><th scope="col">Where</th><th scope="col">Why</th></tr></thead>
<tbody>
${bindingRows(content)}</tbody>
</table>
${roleBindings.length === 0 ? html`<p id="nothing">There is no role binding that you can read.</p>` : html`<p id="nothing" hidden>No role binding matches the filter.</p>`}
</section>
</div>
${loginGrants.length === 0 ? undefined : logins(loginGrants.map((login) => loginGrantText(login)))}
<section class="roles"><h2>What each role grants</h2><dl>
${roles.map(
  ({ capabilities, name }, index) =>
    html`<dt id="r${index}" data-capabilities="${capabilities?.join(" ") ?? "unknown"}">${name}</dt><dd>${capabilities?.join(", ") ?? "unknown: you need roles.list"}</dd>
`,
)}</dl></section>
<footer>${notIncluded}</footer>
</main>
`;
  // The hashes of the policy are those of the texts without a change, so they are not escaped.
  return `${head.text}<style>${reportPageStyle}</style>${body.text}<script>${reportPageScript}</script>
</body>
</html>
`;
}

function logins(texts: readonly string[]): Html {
  return html`<section class="note" id="logins"><h2>Who gets access by logging in</h2><ul>${texts.map((text) => html`<li>${text}</li>`)}</ul></section>`;
}

function unknownNote(messages: readonly string[]): Html {
  return html`<section class="note"><h2>Unknown: there may be more access than this page shows</h2><ul>${messages.map((message) => html`<li>${message}.</li>`)}</ul></section>`;
}

/** @param areDeclarationsKnown otherwise nobody knows what is undeclared */
function facts(content: ReportContent, areDeclarationsKnown: boolean): Html {
  const { complete, group, groups, loginGrants, roleBindings } = content;
  const undeclared = undeclaredCount(roleBindings);
  const identities = new Set(roleBindings.map(({ identity }) => identity.uid)).size;
  const above = roleBindings.filter(({ reach }) => reach === "above").length;
  const below = groups.filter(({ uid }) => uid.startsWith(`${group.uid}/`)).length;
  const atLeast = complete ? undefined : html`<small>at least</small> `;
  const fact = (count: number, what: string, style = "") =>
    html`<li class="${style}"><b>${atLeast}${count}</b> ${what}</li>`;
  return html`<ul class="facts">${[
    areDeclarationsKnown
      ? fact(undeclared, "undeclared", undeclared === 0 ? "" : "bad")
      : html`<li><b>unknown</b> undeclared</li>`,
    fact(roleBindings.length, "role bindings"),
    fact(identities, "identities"),
    fact(above, "granted above"),
    fact(below, "groups below"),
    ...(loginGrants.length === 0
      ? []
      : [html`<li><b>${loginGrants.length}</b> <a href="#logins">by logging in</a></li>`]),
  ]}</ul>`;
}

/** Hidden until the script has started, without which it does nothing. What is unknown passes it. */
function filter(roles: readonly ReportedRole[], areDeclarationsKnown: boolean): Html {
  const capabilities = [...new Set(roles.flatMap((role) => role.capabilities ?? []))].toSorted();
  return html`<div id="filter" class="filter" role="search" aria-label="Filter" hidden>
<div class="find"><label for="find">Find an identity, role, group or declaring object</label><input id="find" type="search" autocomplete="off" spellcheck="false"></div>
<div><label for="capability">Grants</label><select id="capability"><option value="">any capability</option>${capabilities.map((name) => html`<option>${name}</option>`)}</select></div>
<div><label for="undeclared">Show</label><select id="undeclared"><option value="">all access</option><option value="undeclared">${areDeclarationsKnown ? "undeclared only" : "undeclared, or unknown"}</option></select></div>
<div><label for="reach">Bound</label><select id="reach"><option value="all">in the group, above or below</option><option value="applies">in the group or above: applies in it</option><option value="here">in the group itself</option></select></div>
<button type="button" id="clear">Clear</button>
</div>`;
}

/** The groups of a report as a nested list, each with the number of role bindings in it. The script makes it a tree. */
function groupTree({ group, groups, roleBindings }: ReportContent): Html {
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
