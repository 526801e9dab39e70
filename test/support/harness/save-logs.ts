import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { System } from "./system.ts";

/** Writes the logs of the platform and of all operators, and how each of them ended, into the folder. */
export async function saveLogs(system: System, folder: string): Promise<void> {
  const write = (name: string, lines: readonly unknown[]) =>
    writeFile(join(folder, name), lines.map((line) => JSON.stringify(line)).join("\n"));
  await write("platform.jsonl", system.platformLog);
  for (const [number, { log, plainOutput, running, exitCode, signalCode }] of system.operators.entries()) {
    await write(`operator-${number}.jsonl`, [...log, { running, exitCode, signalCode }]);
    if (plainOutput !== "") await writeFile(join(folder, `operator-${number}.txt`), plainOutput);
  }
}
