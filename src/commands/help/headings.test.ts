import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { heading, twoColumns } from "./headings.ts";

it("is bold where the terminal shows colours, and plain elsewhere", () => {
  expect(heading("Platform:", { columns: 80, colors: false })).toBe("Platform:");
  const bold = heading("Platform:", { columns: 80, colors: true });
  expect(bold).not.toBe("Platform:");
  expect(stripVTControlCharacters(bold)).toBe("Platform:");
});

it("wraps the second column", () => {
  const rows = [
    ["a", "one two three four five"],
    ["long", "x"],
  ] as const;
  expect(twoColumns(rows, { columns: 30, colors: false })).toBe("  a     one two three four\n        five\n  long  x");
});
