import { readFileSync } from "node:fs";
import { afterAll } from "vitest";
import type { FileCost } from "./file-cost.ts";

/** The ticks of `/proc/self/stat` in a second: of every Linux that Node.js supports. */
const ticks = 100;

/** The CPU seconds of this process and of its children that have ended, user and system. */
function cpuSeconds(): number {
  // The name of the program, in parentheses, can contain spaces.
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks;
}

// A worker runs one file after another. This one runs before the file is imported; its hook is the first, so it runs last.
const [cpu, wall] = [cpuSeconds(), performance.now()];
// oxlint-disable-next-line eslint/no-empty-pattern -- Vitest reads from it which fixtures the hook uses: none.
afterAll(({}, { meta }) => {
  const cost: FileCost = { cpu: cpuSeconds() - cpu, wall: (performance.now() - wall) / 1000 };
  Object.assign(meta, { cost });
});
