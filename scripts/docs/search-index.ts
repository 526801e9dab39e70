import MiniSearch from "minisearch";
import { audienceOf } from "./audience.ts";
import { plainText } from "./headings.ts";
import type { ParsedPage } from "./page-parser.ts";
import { isGenerated } from "./page-table.ts";

/** Without functions, because the browser loads the index with the same options: see assets/search.js. */
const options = {
  fields: ["keywords", "heading", "title", "text"],
  storeFields: ["url", "title", "heading", "excerpt", "weight"],
};

/**
 * The index of all sections of the pages, as a script: a page that was opened from a disk cannot load JSON.
 * Each section is found by its own text, and leads to its own heading.
 */
export function searchIndexScript(pages: readonly ParsedPage[]): string {
  const index = new MiniSearch(options);
  index.addAll(pages.flatMap(sectionsOf).map((section, id) => ({ id, ...section })));
  return `window.musterSearch = ${JSON.stringify({ options, index: JSON.stringify(index) })};\n`;
}

interface SearchedSection {
  readonly url: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  readonly excerpt: string;
  /** Words that readers search for and the section does not use: `<!-- search: SSO, SAML -->` below its heading. */
  readonly keywords: string;
  /** By which its score is multiplied: most people who search do not develop Muster, and guides explain more than a reference. */
  readonly weight: number;
}

function sectionsOf(page: ParsedPage): SearchedSection[] {
  const { source, title, tokens, headings } = page;
  const texts: string[][] = [];
  const keywords: string[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") texts.push([]);
    else if (token.type === "inline" && tokens[index - 1]?.type !== "heading_open")
      texts.at(-1)?.push(plainText(token));
    else if (token.type === "fence") texts.at(-1)?.push(token.content);
    else if (token.type === "html_block")
      keywords[texts.length - 1] = /<!-- search: (.*?) -->/s.exec(token.content)?.[1] ?? "";
  }
  const weight = weightOf(page);
  return headings.map(({ id, text: heading, level }, index) => {
    const text = (texts[index] ?? []).join(" ");
    const url = level === 1 ? source.page : `${source.page}#${id}`;
    return { url, title, heading, text, excerpt: text.slice(0, 160), keywords: keywords[index] ?? "", weight };
  });
}

function weightOf(page: ParsedPage): number {
  if (!page.source.path.startsWith("docs/") || audienceOf(page)?.reader === "contributors") return 0.3;
  return isGenerated(page) ? 0.6 : 1;
}
