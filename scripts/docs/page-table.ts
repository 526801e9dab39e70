import { audienceOf } from "./audience.ts";
import type { ParsedPage } from "./page-parser.ts";

/** What `npm run docs -- --pages` prints: a row a page of docs/, and how many words are written by hand. */
export function pageTable(pages: readonly ParsedPage[]): string {
  const shown = pages.filter(({ source }) => source.path.startsWith("docs/"));
  const rows = shown.map((page) => {
    const { reader = "–", task = "–" } = audienceOf(page) ?? {};
    const [path, words] = [page.source.path, `${wordsOf(page)}${isGenerated(page) ? " (generated)" : ""}`];
    return `| ${[path, words, reader, task].join(" | ")} |`;
  });
  const byHand = shown.filter((page) => !isGenerated(page));
  return `${["| page | words | reader | task |", "|---|---:|---|---|", ...rows].join("\n")}

${sumOf(byHand)} words in ${byHand.length} pages by hand, ${sumOf(shown) - sumOf(byHand)} in ${shown.length - byHand.length} that are generated
`;
}

/** Whether a command writes the whole page. */
export function isGenerated({ source }: ParsedPage): boolean {
  return /^(?:<!-- )?Generated .*Do not edit\./m.test(source.text);
}

/** Of words with a letter or a digit, in code as well. */
function wordsOf({ source }: ParsedPage): number {
  return source.text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function sumOf(pages: readonly ParsedPage[]): number {
  return pages.reduce((sum, page) => sum + wordsOf(page), 0);
}
