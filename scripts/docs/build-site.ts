import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Eleventy } from "@11ty/eleventy";
import { checkLinks } from "./check-links.ts";
import { layOut, type Site } from "./layout.ts";
import { movedPageMistakes, pagesThatLeadOn } from "./moved-page.ts";
import { movedPages } from "./moved-pages.ts";
import { navigationOf } from "./navigation.ts";
import { type ParsedPage, parsePage } from "./page-parser.ts";
import { type Attachments, pageRenderer } from "./render-page.ts";
import { searchIndexScript } from "./search-index.ts";
import { contentsPath, readSources } from "./sources.ts";

const assets = fileURLToPath(new URL("assets/", import.meta.url));
const miniSearch = fileURLToPath(new URL("../umd/index.js", import.meta.resolve("minisearch")));

/**
 * Builds the site from every Markdown file of the repository, which is the current folder. Replaces the folder.
 * @returns the number of pages @throws {Error} that names every broken link
 */
export async function buildSite(folder: string, version: string): Promise<number> {
  const parsed = readSources().map(parsePage);
  const mistakes = [...checkLinks(parsed), ...movedPageMistakes(movedPages, anchorsOf(parsed))];
  if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
  const pages = new Map(parsed.map((page) => [page.source.path, page]));
  const contents = pages.get(contentsPath);
  if (contents === undefined) throw new Error(`${contentsPath} is missing`);
  const site: Site = { pages, navigation: navigationOf(contents), version };
  const attachments: Attachments = { texts: new Map(), copies: new Map() };

  await rm(folder, { recursive: true, force: true });
  await writePages(folder, site, attachments);
  for (const [path, html] of pagesThatLeadOn(movedPages)) attachments.texts.set(path, html);
  attachments.texts.set("assets/search-index.js", searchIndexScript(parsed));
  attachments.copies.set("assets/minisearch.js", miniSearch);
  for (const [path, text] of attachments.texts) await writeInto(folder, path, text);
  for (const [path, file] of attachments.copies) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(file, join(folder, path));
  }
  await cp(assets, join(folder, "assets"), { recursive: true });
  return parsed.length;
}

function anchorsOf(pages: readonly ParsedPage[]): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(pages.map(({ source, headings }) => [source.page, new Set(headings.map(({ id }) => id))]));
}

async function writePages(folder: string, site: Site, attachments: Attachments): Promise<void> {
  const renderer = pageRenderer(site.pages, attachments);
  const pageAt = (inputPath: string): ParsedPage => {
    const page = site.pages.get(inputPath.replace(/^\.\//, "").replace(/^site\//, ""));
    if (page === undefined) throw new Error(`${inputPath} is not a page`);
    return page;
  };
  const eleventy = new Eleventy(".", folder, {
    quietMode: true,
    configPath: undefined,
    config: (configuration) => {
      // The pages are given with their text, so that Eleventy looks for none: dist/ and node_modules/ stay out.
      configuration.ignores.add("**/*");
      configuration.setTemplateFormats(["md"]);
      for (const { source } of site.pages.values())
        configuration.addTemplate(`site/${source.path}`, source.text, {
          permalink: source.page,
          // Only Markdown: braces in a page are text.
          templateEngineOverride: "md",
        });
      configuration.setLibrary("md", {
        render: (text, env) => {
          const { page } = env as { readonly page: { readonly inputPath: string } };
          return renderer.render(text, pageAt(page.inputPath));
        },
      });
      configuration.addTransform("layout", function (html) {
        const page = pageAt(this.page.inputPath);
        return layOut(html, page, site);
      });
    },
  });
  await eleventy.write();
}

async function writeInto(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}
