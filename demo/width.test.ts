import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { fit, wrap } from "./width.ts";

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

it("fit keeps a line that fits, without counting its styles", () => {
  expect(fit(red("ready"), 5)).toBe(red("ready"));
});

it("fit cuts a longer line and keeps the ends of its styles", () => {
  const cut = fit(`${red("Group")} shop ${red("ready")}`, 8);
  expect(stripVTControlCharacters(cut)).toBe("Group s…");
  expect(cut.endsWith("\u001b[39m")).toBe(true);
  expect(fit(red("ready"), 5 - 1)).toBe(red("rea…"));
  expect(stripVTControlCharacters(fit(`ab${red("cd")}`, 3))).toBe("ab…");
});

it("wrap breaks lines between words and keeps a long word whole", () => {
  expect(wrap("a wrong manifest is refused", 10)).toEqual(["a wrong", "manifest", "is refused"]);
  expect(wrap("✓ a wrong manifest", 10)).toEqual(["✓ a wrong", "  manifest"]);
  expect(wrap("it took 41 ms", 10)).toEqual(["it took", "41 ms"]);
  expect(wrap("see https://platform.example.com now", 10)).toEqual(["see", "https://platform.example.com", "now"]);
});
