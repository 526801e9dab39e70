import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { posix } from "node:path";

/** A Markdown file of the repository, which is also a page of the site. */
export interface Source {
  /** The path in the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The path of the page in the site. */
  readonly page: string;
}

/** The page whose lists are the navigation of the site. It is the first page. */
export const contentsPath = "docs/README.md";

/** A table of 11,000 words that nobody reads from the first to the last: links show it as a file. */
const tables = ["test/platform/conformance/requirements.md"];

/** Every Markdown file of the repository, except fixtures of tests and tables, in the order of the paths. */
export function readSources(): readonly Source[] {
  const paths = globSync("**/*.md", { exclude: (name) => /^(?:node_modules|dist|coverage|fixtures|\..*)$/.test(name) });
  const pages = paths.filter((path) => !tables.includes(path));
  return pages.toSorted().map((path) => ({ path, text: readFileSync(path, "utf8"), page: pageOf(path) }));
}

/** Pages of docs/ are at the top of the site, those of other folders in `repository/`. */
function pageOf(path: string): string {
  if (path === contentsPath) return "index.html";
  const html = path.replace(/\.md$/, ".html");
  return html.startsWith("docs/") ? html.slice("docs/".length) : `repository/${html}`;
}

/** What a link of a Markdown file leads to. */
export type Target =
  | { readonly type: "external"; readonly url: string }
  | { readonly type: "page"; readonly path: string; readonly anchor: string }
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "folder"; readonly path: string };

/** Resolves a link of the file at `from`. @throws {Error} if it leads to nothing in the repository */
export function resolveLink(from: string, link: string): Target {
  if (/^(?:https?|mailto):/.test(link)) return { type: "external", url: link };
  const [, file = "", anchor = ""] = /^([^#]*)#?(.*)$/.exec(link) ?? [];
  const path = file === "" ? from : posix.normalize(posix.join(posix.dirname(from), decodeURIComponent(file)));
  if (path.startsWith("..") || !existsSync(path)) throw new Error(`${from}: the link "${link}" leads to no file`);
  if (path.endsWith(".md") && !tables.includes(path)) return { type: "page", path, anchor: decodeURIComponent(anchor) };
  if (!statSync(path).isDirectory()) return { type: "file", path };
  const readme = posix.join(path, "README.md");
  return existsSync(readme) ? { type: "page", path: readme, anchor: "" } : { type: "folder", path };
}
