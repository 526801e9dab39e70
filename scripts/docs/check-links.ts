import type { ParsedPage } from "./page-parser.ts";
import { contentsPath, resolveLink } from "./sources.ts";

/** Every mistake in the links of the pages: missing files, missing anchors, and pages to which no path of links leads. */
export function checkLinks(pages: readonly ParsedPage[]): readonly string[] {
  const byPath = new Map(pages.map((page) => [page.source.path, page]));
  const mistakes: string[] = [];
  const reached = new Set<string>();
  const next = [contentsPath];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const { href } of byPath.get(path)?.links ?? []) {
      const target = tryResolve(path, href);
      if (typeof target !== "string" && target.type === "page") next.push(target.path);
    }
  }
  for (const { source, links } of pages) {
    if (!reached.has(source.path)) mistakes.push(`${source.path}: no page links to it; list it in ${contentsPath}`);
    for (const { href, line } of links) {
      const target = tryResolve(source.path, href);
      if (typeof target === "string") mistakes.push(`${target} (line ${line})`);
      else if (target.type === "page" && target.anchor !== "") {
        const ids = byPath.get(target.path)?.headings.map(({ id }) => id);
        if (ids?.includes(target.anchor) !== true)
          mistakes.push(`${source.path}: ${target.path} has no heading for the link "${href}" (line ${line})`);
      }
    }
  }
  return mistakes;
}

/** @returns the message if the link leads to nothing */
function tryResolve(from: string, link: string) {
  try {
    return resolveLink(from, link);
  } catch (error) {
    return (error as Error).message;
  }
}
