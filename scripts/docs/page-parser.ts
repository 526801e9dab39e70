import MarkdownIt from "markdown-it";
import type Token from "markdown-it/lib/token.mjs";
import { type Heading, headingsOf } from "./headings.ts";
import type { Source } from "./sources.ts";

/** A page before it is rendered. */
export interface ParsedPage {
  readonly source: Source;
  readonly tokens: readonly Token[];
  readonly headings: readonly Heading[];
  /** The text of the first heading. */
  readonly title: string;
  readonly links: readonly Link[];
  readonly fences: readonly Fence[];
}

export interface Link {
  readonly href: string;
  readonly line: number;
}

/** A fenced code block. */
export interface Fence {
  readonly language: string;
  readonly code: string;
  /** Counted from 1. */
  readonly line: number;
  /** The text of the HTML comment directly above the block, such as `not run: needs docker`. */
  readonly comment: string | undefined;
}

export function newMarkdown(): MarkdownIt {
  return new MarkdownIt({ html: true, linkify: false, typographer: false });
}

const markdown = newMarkdown();

/** @throws {Error} if the page has no heading of the first level */
export function parsePage(source: Source): ParsedPage {
  const tokens = markdown.parse(source.text, {});
  const headings = headingsOf(tokens);
  const title = headings.find(({ level }) => level === 1)?.text;
  if (title === undefined) throw new Error(`${source.path}: the page has no title: begin it with "# TITLE"`);
  return { source, tokens, headings, title, links: tokens.flatMap(linksOf), fences: tokens.flatMap(fencesOf) };
}

function linksOf(token: Token): Link[] {
  const line = (token.map?.[0] ?? 0) + 1;
  return (token.children ?? []).flatMap((child) => {
    const href = child.attrGet(child.type === "image" ? "src" : "href");
    return href === null ? [] : [{ href, line }];
  });
}

function fencesOf(token: Token, index: number, tokens: readonly Token[]): Fence[] {
  if (token.type !== "fence") return [];
  const before = tokens[index - 1];
  const comment = before?.type === "html_block" ? /<!--\s*(.*?)\s*-->\s*$/s.exec(before.content)?.[1] : undefined;
  return [{ language: token.info.trim(), code: token.content, line: (token.map?.[0] ?? 0) + 1, comment }];
}
