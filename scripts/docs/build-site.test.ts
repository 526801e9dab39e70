import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildSite } from "./build-site.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-docs-"));
let files: ReadonlyMap<string, string>;

beforeAll(async () => {
  await buildSite(folder, "0.0.0");
  files = new Map(
    globSync("**/*.html", { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

it("has a page for every Markdown file", () => {
  expect([...files.keys()]).toEqual(expect.arrayContaining(["index.html", "tutorial.html", "repository/README.html"]));
});

it("links only to files and headings that exist", () => {
  const broken: string[] = [];
  for (const [path, html] of files)
    for (const [, link = ""] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^(?:https?|mailto):/.test(link)) continue;
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : join(dirname(path), file);
      const hasAnchor =
        anchor === undefined || anchor === "" || files.get(target)?.includes(` id="${decodeURIComponent(anchor)}"`);
      if (link.startsWith("/") || !existsSync(join(folder, target)) || hasAnchor !== true)
        broken.push(`${path}: ${link}`);
    }
  expect(broken).toEqual([]);
});

it("loads nothing from elsewhere, and works under a policy without inline scripts and styles", () => {
  const texts = [
    ...files,
    ...globSync(["assets/{style.css,site.js,theme.js}", "images/*.svg"], { cwd: folder }).map(
      (path) => [path, readFileSync(join(folder, path), "utf8")] as const,
    ),
  ];
  const loading =
    /<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?\/\/|@import|url\(\s*['"]?(?:https?:)?\/\//;
  expect(texts.filter(([, text]) => loading.test(text)).map(([path]) => path)).toEqual([]);
  const inline = /<script(?![^>]*\bsrc=)|<style|\sstyle="|\son[a-z]+="|javascript:/;
  expect([...files].filter(([, html]) => inline.test(html)).map(([path]) => path)).toEqual([]);
});

it("finds words of a section, without a server", () => {
  const context: { window: { musterSearch?: unknown }; found?: readonly { url: string }[] } = { window: {} };
  for (const name of ["minisearch.js", "search-index.js"])
    runInNewContext(readFileSync(join(folder, "assets", name), "utf8"), context);
  const search = `const { options, index } = window.musterSearch;
    globalThis.found = MiniSearch.loadJSON(index, options).search("breaker confirm", { prefix: true, combineWith: "AND", boost: { heading: 4 } });`;
  runInNewContext(search, context);
  expect(context.found?.map(({ url }) => url)).toContain("operate/outages.html#the-breaker");
});
