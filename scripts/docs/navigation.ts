import type { ParsedPage } from "./page-parser.ts";
import { plainText } from "./headings.ts";
import { resolveLink } from "./sources.ts";

/** A heading of the table of contents, and the pages below it. */
export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly title: string;
  /** The path of the Markdown file. */
  readonly path: string;
}

/** The navigation of the site: in each section of the table of contents, the first link of every list item. */
export function navigationOf({ tokens, source }: ParsedPage): readonly Section[] {
  const sections: { title: string; entries: Entry[] }[] = [];
  tokens.forEach((token, index) => {
    if (token.type === "heading_open" && token.tag === "h2")
      sections.push({ title: plainText(tokens[index + 1]), entries: [] });
    const inItem = token.type === "inline" && tokens[index - 2]?.type === "list_item_open";
    const entry = inItem ? firstLink(token.children ?? [], source.path) : undefined;
    if (entry !== undefined) sections.at(-1)?.entries.push(entry);
  });
  return sections.filter(({ entries }) => entries.length > 0);
}

function firstLink(tokens: NonNullable<ParsedPage["tokens"][number]["children"]>, from: string): Entry | undefined {
  const [open, text] = tokens;
  const href = open?.attrGet("href");
  if (open?.type !== "link_open" || href === null || href === undefined) return undefined;
  const target = resolveLink(from, href);
  return target.type === "page" ? { title: text?.content ?? "", path: target.path } : undefined;
}
