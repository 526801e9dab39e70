import { writeFileSync } from "node:fs";

/** Writes the figures of a benchmark to a file, at once: a run that is interrupted later keeps them. */
export function writeJson(file: string, figures: unknown): void {
  writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`);
}
