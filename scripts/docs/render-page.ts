import { posix } from "node:path";
import type MarkdownIt from "markdown-it";
import { drawDiagram } from "./diagrams.ts";
import { highlight } from "./highlight.ts";
import { newMarkdown, type ParsedPage } from "./page-parser.ts";
import { resolveLink } from "./sources.ts";

/** Files that pages need in addition to their HTML, by their paths in the site. */
export interface Attachments {
  /** From a path in the site to the contents. */
  readonly texts: Map<string, string>;
  /** From a path in the site to the file of the repository. */
  readonly copies: Map<string, string>;
}

/** The renderer of all pages. A rendering's `env` is the page. */
export function pageRenderer(pages: ReadonlyMap<string, ParsedPage>, attachments: Attachments): MarkdownIt {
  const markdown = newMarkdown();
  const { rules } = markdown.renderer;
  const plain = (...token: Parameters<typeof markdown.renderer.renderToken>) => markdown.renderer.renderToken(...token);

  markdown.core.ruler.push("anchors", ({ tokens, env }) => {
    const { headings } = env as ParsedPage;
    let next = 0;
    for (const token of tokens) if (token.type === "heading_open") token.attrSet("id", headings[next++]?.id ?? "");
  });
  rules["heading_close"] = (tokens, index, options) => {
    const open = tokens[index - 2];
    const id = open?.attrGet("id") ?? "";
    const link =
      tokens[index]?.tag === "h1" ? "" : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
    return `${link}${plain(tokens, index, options)}`;
  };
  rules["link_open"] = (tokens, index, options, env: ParsedPage) => {
    const token = tokens[index];
    const href = siteHref(env, token?.attrGet("href") ?? "", pages, attachments);
    if (href === undefined) {
      // A folder without a page of its own: only its name is shown.
      const close = tokens.slice(index).find(({ type }) => type === "link_close");
      if (close !== undefined) close.tag = "span";
      return "<span>";
    }
    token?.attrSet("href", href);
    return plain(tokens, index, options);
  };
  const image = rules["image"];
  rules["image"] = (tokens, index, options, env: ParsedPage, self) => {
    const token = tokens[index];
    const target = resolveLink(env.source.path, token?.attrGet("src") ?? "");
    if (target.type === "file") {
      const path = `images/${posix.basename(target.path)}`;
      attachments.copies.set(path, target.path);
      token?.attrSet("src", relativeTo(env, path));
    }
    return image?.(tokens, index, options, env, self) ?? "";
  };
  rules["html_block"] = (tokens, index) => (tokens[index]?.content ?? "").replaceAll(/<!--.*?-->\n?/gs, "");
  rules["table_open"] = () => '<div class="table" tabindex="0"><table>\n';
  rules["table_close"] = () => "</table></div>\n";
  for (const cell of ["th_open", "td_open"])
    rules[cell] = (tokens, index, options) => {
      const token = tokens[index];
      const [, side] = /text-align:(\w+)/.exec(token?.attrGet("style") ?? "") ?? [];
      if (token !== undefined && side !== undefined) token.attrs = [["class", side]];
      return plain(tokens, index, options);
    };
  rules["fence"] = (tokens, index, _options, env: ParsedPage) => {
    const { info = "", content = "" } = tokens[index] ?? {};
    if (info.trim() === "mermaid") return diagram(content, env, attachments);
    const language = info.trim();
    const code = highlight(markdown.utils.escapeHtml(content), language);
    return `<div class="code" data-language="${language}"><pre tabindex="0"><code>${code}</code></pre></div>\n`;
  };
  return markdown;
}

/** The path of something in the site, from a page. */
export function relativeTo({ source }: ParsedPage, path: string): string {
  return posix.relative(posix.dirname(source.page), path);
}

/** @returns undefined for a folder without a page */
function siteHref(
  page: ParsedPage,
  href: string,
  pages: ReadonlyMap<string, ParsedPage>,
  { copies }: Attachments,
): string | undefined {
  const target = resolveLink(page.source.path, href);
  switch (target.type) {
    case "external":
      return target.url;
    case "folder":
      return undefined;
    case "file": {
      // As text, so that a browser shows it whatever it is.
      const path = `repository/${target.path}${target.path.endsWith(".txt") ? "" : ".txt"}`;
      copies.set(path, target.path);
      return relativeTo(page, path);
    }
    case "page": {
      const anchor = target.anchor === "" ? "" : `#${target.anchor}`;
      if (target.path === page.source.path) return anchor === "" ? "#" : anchor;
      return relativeTo(page, pages.get(target.path)?.source.page ?? "") + anchor;
    }
  }
}

function diagram(code: string, page: ParsedPage, { texts }: Attachments): string {
  const name = page.source.page.replaceAll("/", "-").replace(/\.html$/, "");
  let number = 1;
  while (texts.has(`images/${name}-${number}-light.svg`)) number += 1;
  const drawing = drawDiagram(code);
  const images = (["light", "dark"] as const).map((theme) => {
    const path = `images/${name}-${number}-${theme}.svg`;
    texts.set(path, drawing[theme]);
    return `<img class="${theme}" src="${relativeTo(page, path)}" alt="">`;
  });
  const source = newMarkdown().utils.escapeHtml(code);
  return `<figure class="diagram">${images.join("")}
<figcaption><details><summary>Diagram as text</summary><pre tabindex="0"><code>${source}</code></pre></details></figcaption></figure>
`;
}
