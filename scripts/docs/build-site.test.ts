import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe("the search, without a server", () => {
  let find: (words: string) => readonly { readonly url: string }[];

  beforeAll(() => {
    const context: { window?: unknown; loadSearch?: () => typeof find } = {};
    context.window = context;
    for (const name of ["minisearch.js", "search-index.js", "search.js"])
      runInNewContext(readFileSync(join(folder, "assets", name), "utf8"), context);
    find = context.loadSearch?.() ?? (() => []);
  });

  it.each([
    ["breaker confirm", "operate/outages.html#the-breaker"],
    ["no-hooks", "operate/uninstall.html"],
    ["SSO", "how-to/log-in.html"],
    ["Okta", "how-to/log-in.html"],
    ["SAML", "how-to/log-in.html"],
    ["OIDC", "concepts/how-it-works.html"],
    ["rotate", "operate/keys.html"],
    ["lost cluster", "operate/owner-id.html"],
  ])("finds first for %s: %s", (words, url) => {
    expect(find(words)[0]?.url).toContain(url);
  });
});
