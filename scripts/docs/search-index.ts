import MiniSearch from "minisearch";
import { plainText } from "./headings.ts";
import type { ParsedPage } from "./page-parser.ts";

/** What the browser loads the index with, too: see assets/site.js. */
const options = { fields: ["heading", "title", "text"], storeFields: ["url", "title", "heading", "excerpt"] };

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
}

function sectionsOf({ source, title, tokens, headings }: ParsedPage): SearchedSection[] {
  const texts: string[][] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") texts.push([]);
    else if (token.type === "inline" && tokens[index - 1]?.type !== "heading_open")
      texts.at(-1)?.push(plainText(token));
    else if (token.type === "fence") texts.at(-1)?.push(token.content);
  }
  return headings.map(({ id, text: heading, level }, index) => {
    const text = (texts[index] ?? []).join(" ");
    const url = level === 1 ? source.page : `${source.page}#${id}`;
    return { url, title, heading, text, excerpt: text.slice(0, 160) };
  });
}
