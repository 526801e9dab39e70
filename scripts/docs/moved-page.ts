import { posix } from "node:path";
import type { MovedPage } from "./moved-pages.ts";

/** The HTML of every page that moved, by its path in the site. It leads on, with a script to the section, and without one to the page. */
export function pagesThatLeadOn(moved: readonly MovedPage[]): ReadonlyMap<string, string> {
  const byPage = Map.groupBy(moved, ([from]) => pageOf(from));
  return new Map([...byPage].map(([page, rows]) => [page, leadOn(page, rows)]));
}

/** Every mistake in the list: a page that is still there, or that leads nowhere. @param ids the anchors of each page of the site */
export function movedPageMistakes(
  moved: readonly MovedPage[],
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return moved.flatMap(([from, to]) => {
    const [page, anchor = ""] = to.split("#");
    const isThere = ids.has(pageOf(from)) ? [`${from} is still a page, so it cannot lead to ${to}`] : [];
    const leads = ids.get(page ?? "")?.has(anchor) === true || (anchor === "" && ids.has(page ?? ""));
    return leads ? isThere : [...isThere, `${from} leads to ${to}, which does not exist`];
  });
}

function leadOn(page: string, rows: readonly MovedPage[]): string {
  const links = rows.map(([from, to]) => {
    const href = posix.relative(posix.dirname(page), to);
    return `<li><a href="${href}" data-from="${from.slice(page.length)}">${href}</a></li>`;
  });
  const first = posix.relative(posix.dirname(page), rows[0]?.[1] ?? "");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Moved – Muster</title>
<noscript><meta http-equiv="refresh" content="0; url=${first}"></noscript>
<script src="${posix.relative(posix.dirname(page), "assets/moved.js")}" defer></script>
</head>
<body>
<p>This page has moved:</p>
<ul>${links.join("")}</ul>
</body>
</html>
`;
}

function pageOf(address: string): string {
  return address.replace(/#.*/, "");
}
