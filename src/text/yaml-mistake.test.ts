import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { yamlMistake } from "./yaml-mistake.ts";

it.each([
  ["a: |planted", "Block scalar header includes extra characters"],
  ["a: !planted!b c", "a tag is not valid: put a text that begins with ! in quotes"],
  ['a: "\\xplanted"', "an escape sequence is not valid: in double quotes, write \\\\ instead of \\"],
  ["a: [planted", "Flow sequence in block collection must be sufficiently indented and end with a ]"],
])("says why %j is not valid, and quotes nothing of it", (text, reason) => {
  for (const prettyErrors of [true, false]) {
    const [error] = parseDocument(text, { prettyErrors }).errors;
    expect(error && yamlMistake(error)).toBe(reason);
  }
});

it("says what an alias lacks, and does not name it", () => {
  const convert = () => parseDocument("a: *planted").toJS() as unknown;
  expect(convert).toThrow("planted");
  try {
    convert();
  } catch (error) {
    expect(yamlMistake(error as Error)).toBe("Unresolved alias (the anchor must be set before the alias)");
  }
});
