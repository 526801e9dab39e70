import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { showProgress } from "./load-progress.ts";

function shown(isTTY: boolean): string {
  const output = Object.assign(new PassThrough(), { isTTY });
  const { report, clear } = showProgress(output);
  for (const phase of ["checking", "writing"] as const)
    for (let bytes = 0; bytes <= 1_000; bytes += 25) report({ phase, bytes, totalBytes: 1_000, documents: bytes * 10 });
  clear();
  return String(output.read());
}

describe("the progress of a load", () => {
  it("is a plain line per 10 % of a phase without a terminal", () => {
    const lines = shown(false).trimEnd().split("\n");
    expect(lines).toHaveLength(20);
    expect(lines[0]).toBe("checking 10 % (1,000 documents)");
    expect(lines.at(-1)).toBe("writing 100 % (10,000 documents)");
    expect(lines.join("")).not.toContain("\u001b");
  });

  it("is one line on a terminal that is overwritten, and cleared at the end", () => {
    const text = shown(true);
    expect(text).not.toContain("\n");
    const states = text.split("\r\u001b[K");
    expect(states[1]).toBe(`${"░".repeat(30)} checking 0 % (0 documents)`);
    expect(states.at(-2)).toBe(`${"█".repeat(30)} writing 100 % (10,000 documents)`);
    expect(states.at(-1)).toBe("");
  });
});
