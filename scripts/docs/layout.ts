import { newMarkdown, type ParsedPage } from "./page-parser.ts";
import type { Entry, Section } from "./navigation.ts";
import { relativeTo } from "./render-page.ts";

export interface Site {
  readonly pages: ReadonlyMap<string, ParsedPage>;
  readonly navigation: readonly Section[];
  /** In the foot of each page. */
  readonly version: string;
}

const { escapeHtml } = newMarkdown().utils;

/** The whole HTML of a page. It loads nothing but files of the site, and has no script or style of its own. */
export function layOut(content: string, page: ParsedPage, site: Site): string {
  const link = (path: string) => relativeTo(page, path);
  const { source, title } = page;
  const order = site.navigation.flatMap(({ entries }) => entries);
  const place = order.findIndex(({ path }) => path === source.path);
  const section = site.navigation.find(({ entries }) => entries.some(({ path }) => path === source.path));
  const isFirst = source.page === "index.html";
  return `<!doctype html>
<html lang="en" data-root="${link("") === "" ? "" : `${link("")}/`}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(isFirst ? "Muster documentation" : `${title} – Muster`)}</title>
<link rel="icon" href="${link("assets/icon.svg")}">
<link rel="stylesheet" href="${link("assets/style.css")}">
<script src="${link("assets/theme.js")}"></script>
<script src="${link("assets/site.js")}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button id="menu" type="button" aria-expanded="false" aria-controls="navigation" aria-label="Navigation">☰</button>
<a class="home" href="${link("index.html")}">Muster</a>
<div class="search" role="search">
<input id="search" type="search" placeholder="Search  ( / )" aria-label="Search the documentation" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list">
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
</div>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
</header>
<div class="columns">
<nav id="navigation" aria-label="Pages">
${site.navigation.map((one) => navigationSection(one, page, site, one === section || isFirst)).join("\n")}
</nav>
<main id="content">
${section === undefined ? "" : `<p class="section">${escapeHtml(section.title)}</p>`}
<article>
${content}</article>
<nav class="neighbours" aria-label="Previous and next page">${neighbour("previous", order[place - 1], page, site)}${neighbour("next", isFirst ? order[0] : place === -1 ? undefined : order[place + 1], page, site)}</nav>
<footer>Muster ${escapeHtml(site.version)} · written in <code>${escapeHtml(source.path)}</code></footer>
</main>
${onThisPage(page)}
</div>
</body>
</html>
`;
}

function navigationSection({ title, entries }: Section, page: ParsedPage, site: Site, isOpen: boolean): string {
  const items = entries.map(({ title: text, path }) => {
    const current = path === page.source.path ? ' aria-current="page"' : "";
    return `<li><a href="${hrefOf(path, page, site)}"${current}>${escapeHtml(text)}</a></li>`;
  });
  return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(title)}</summary><ul>${items.join("")}</ul></details>`;
}

function neighbour(side: "previous" | "next", entry: Entry | undefined, page: ParsedPage, site: Site): string {
  if (entry === undefined) return "";
  const label = side === "previous" ? "← Previous" : "Next →";
  return `<a class="${side}" rel="${side === "previous" ? "prev" : "next"}" href="${hrefOf(entry.path, page, site)}"><small>${label}</small>${escapeHtml(entry.title)}</a>`;
}

function onThisPage({ headings }: ParsedPage): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '<aside class="toc"></aside>';
  const items = shown.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<aside class="toc"><nav aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav></aside>`;
}

function hrefOf(path: string, page: ParsedPage, { pages }: Site): string {
  return relativeTo(page, pages.get(path)?.source.page ?? "");
}
