import { readFile, writeFile } from "node:fs/promises";

const end = "<!-- end of figures -->";

/**
 * Writes a benchmark's results between the two marks of a page.
 * @param name the name of the benchmark; the first mark contains it
 * @param markdown paragraphs and tables, with a blank line between each
 * @throws {Error} if the page does not have both marks
 */
export async function writeResultsPage(page: string, name: string, markdown: readonly string[]): Promise<void> {
  const start = `<!-- figures: written by npm run bench -- ${name} --page -->`;
  const text = await readFile(page, "utf8");
  const startAt = text.indexOf(start);
  const endAt = text.indexOf(end, startAt);
  if (startAt < 0 || endAt < 0) throw new Error(`--page: ${page} must have the lines "${start}" and "${end}"`);
  const results = [start, ...markdown, end].join("\n\n");
  await writeFile(page, text.slice(0, startAt) + results + text.slice(endAt + end.length));
}
