import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

it("collects garbage, without a flag on the command line", () => {
  // In a process of its own, because it also stops the compilers.
  const program = `
    import { keepHeapSmall } from ${JSON.stringify(new URL("./small-heap.ts", import.meta.url))};
    const collect = keepHeapSmall();
    let garbage = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
    const before = process.memoryUsage().heapUsed;
    garbage = undefined;
    collect();
    process.stdout.write(String((before - process.memoryUsage().heapUsed) / 2 ** 20));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(Number(stdout)).toBeGreaterThan(10);
});
