import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { fit, wrap } from "./width.ts";

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

it("a line that fits is left as it is, styles not counted", () => {
  expect(fit(red("ready"), 5)).toBe(red("ready"));
});

it("a longer one is cut, and its styles still end", () => {
  const cut = fit(`${red("Group")} shop ${red("ready")}`, 8);
  expect(stripVTControlCharacters(cut)).toBe("Group s…");
  expect(cut.endsWith("\u001b[39m")).toBe(true);
  expect(fit(red("ready"), 5 - 1)).toBe(red("rea…"));
  expect(stripVTControlCharacters(fit(`ab${red("cd")}`, 3))).toBe("ab…");
});

it("a text is broken between words, and a long word stays whole", () => {
  expect(wrap("a wrong manifest is refused", 10)).toEqual(["a wrong", "manifest", "is refused"]);
  expect(wrap("✓ a wrong manifest", 10)).toEqual(["✓ a wrong", "  manifest"]);
  expect(wrap("it took 41 ms", 10)).toEqual(["it took", "41 ms"]);
  expect(wrap("see https://platform.example.com now", 10)).toEqual(["see", "https://platform.example.com", "now"]);
});
