import type { PlantedBug } from "./planted-bug.ts";

/** The text of the file with the bug. @throws {Error} unless `before` occurs in it exactly once */
export function editedText({ name, file, before, after }: PlantedBug, text: string): string {
  const [start, end, ...more] = text.split(before);
  if (start === undefined || end === undefined || more.length > 0)
    throw new Error(
      `${name}: ${file} has the text ${end === undefined ? "nowhere" : "in several places"}, so that the bug cannot be planted: take the text from the file as it is now, or another one that makes the same mistake`,
    );
  return start + after + end;
}
