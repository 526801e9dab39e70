// Counts what docs/reading-path.md asks a reader to open: each sentence `N files, about N lines` gets the numbers of the links to
// files of its section. With --check it writes nothing, and fails if a number is out of date.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeGenerated } from "./generated-files.ts";

const page = "docs/reading-path.md";
const sentence = /\d+ files, about [\d,]+ lines/;
const link = /\]\((\.\.\/src\/[^)#]+\.ts)/g;
/** A number of lines is rounded to this, so that few changes of the code change the page. */
const step = 500;

function countsOf(section: string): string {
  const files = new Set([...section.matchAll(link)].map(([, target = ""]) => join("docs", target)));
  const lines = [...files].reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length - 1, 0);
  return `${files.size} files, about ${(Math.round(lines / step) * step).toLocaleString("en")} lines`;
}

const sections = readFileSync(page, "utf8").split(/^(?=## )/m);
if (!sections.some((section) => sentence.test(section))) throw new Error(`no section of ${page} has its counts`);
const counted = sections.map((section) => section.replace(sentence, () => countsOf(section))).join("");

await writeGenerated("the files that it links to", new Map([[page, counted]]));
