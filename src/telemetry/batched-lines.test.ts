import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BatchedLines } from "./batched-lines.ts";

describe("lines", () => {
  let batches: string[];
  let lines: BatchedLines;
  beforeEach(() => {
    vi.useFakeTimers();
    batches = [];
    lines = new BatchedLines({ write: (batch) => batches.push(batch) > 0, flushSync: () => batches.push("flushed") });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("are passed on together after 50 ms, in their order", () => {
    lines.write("a\n");
    vi.advanceTimersByTime(30);
    lines.write("b\n");
    expect(batches).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(batches).toEqual(["a\nb\n"]);
    lines.write("c\n");
    vi.advanceTimersByTime(50);
    expect(batches).toEqual(["a\nb\n", "c\n"]);
  });

  test("are passed on at once when a batch is full", () => {
    const line = `${"x".repeat(1_023)}\n`;
    for (let count = 0; count < 16; count += 1) lines.write(line);
    expect(batches).toEqual([line.repeat(16)]);
    vi.advanceTimersByTime(50);
    expect(batches).toHaveLength(1);
  });

  test("are written by a flush", () => {
    lines.write("a\n");
    lines.flushSync();
    expect(batches).toEqual(["a\n", "flushed"]);
    vi.advanceTimersByTime(50);
    expect(batches).toHaveLength(2);
  });
});

describe("a process", () => {
  const module = fileURLToPath(new URL("./log.ts", import.meta.url));
  /** The lines that a process writes which logs 1,000 lines and then runs `last`. */
  async function linesOf(last: string): Promise<string[]> {
    const program = `
      import { createLog } from ${JSON.stringify(module)};
      const log = createLog({ level: "info" });
      for (let count = 0; count < 1_000; count += 1) log.info({ count }, "line");
      ${last}`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let written = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      written += chunk;
      if (last.includes("SIGTERM") && written.includes('"count":999')) child.kill("SIGTERM");
    });
    await once(child, "close");
    return written.split("\n").filter((line) => line.startsWith("{"));
  }

  test.each([
    ["that exits", "process.exit(0);"],
    ["that ends by itself", ""],
    ["that an exception ends", 'throw new Error("broken");'],
    ["that a rejection ends", 'void Promise.reject(new Error("broken"));'],
    [
      "that SIGTERM stops",
      'process.once("SIGTERM", () => { log.info({ count: 1_000 }, "stopped"); process.exit(0); }); setInterval(() => 0, 1_000);',
    ],
  ])("%s loses no line", async (_, last) => {
    const lines = await linesOf(last);
    const expected = last.includes("SIGTERM") ? 1_001 : 1_000;
    // The batch that is being written at the exit may come later.
    const counts = lines.map((line) => (JSON.parse(line) as { count: number }).count);
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: expected }, (_value, count) => count));
  });
});
