import { expect, it } from "vitest";
import { parseDocuments } from "./parse-documents.ts";

it.each([
  [
    "several documents",
    "a: 1\n---\n\nb: 2\n",
    [
      { line: 1, value: { a: 1 } },
      { line: 4, value: { b: 2 } },
    ],
  ],
  ["JSON", ' {"a": [1]}\n', [{ line: 1, value: { a: [1] } }]],
  ["a flow of YAML that is not JSON", "{a: 1}\n", [{ line: 1, value: { a: 1 } }]],
  ["nothing", "", []],
])("parses %s", (_, text, documents) => {
  expect([...parseDocuments(text)]).toEqual(documents);
});

it("goes on after a document that is not valid, and says why it is not", () => {
  const [broken, valid] = [...parseDocuments("a: [\n---\nb: 2\n")];
  expect(broken).toMatchObject({ line: 1, error: expect.stringContaining("]") });
  expect(valid).toEqual({ line: 3, value: { b: 2 } });
});

it.each([
  ["*planted", "Unresolved alias"],
  ["|planted", "Block scalar header includes extra characters (line 2)"],
  ["!planted!a b", "a tag is not valid"],
  ['"\\xplanted"', "an escape sequence is not valid"],
  ["a\n]planted", "Unexpected flow-seq-end token in YAML"],
  ["a: planted", "Nested mappings are not allowed in compact mappings (line 2)"],
  ["[planted", "Flow sequence in block collection must be sufficiently indented"],
])("quotes nothing of %j, which can be of a Secret", (value, reason) => {
  const [{ error } = {}] = [...parseDocuments(`kind: Secret\npassword: ${value}\n`)];
  expect(error).toContain(reason);
  expect(error).not.toContain("plant");
});

it("refuses aliases that would fill the memory, as a mistake of their document", () => {
  const levels = Array.from({ length: 9 }, (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}]`);
  expect([...parseDocuments(["a: 1", "---", "l0: &l0 [x]", ...levels, "---", "b: 2"].join("\n"))]).toMatchObject([
    { line: 1, value: { a: 1 } },
    { line: 3, error: expect.stringContaining("alias") },
    { value: { b: 2 } },
  ]);
});

it.each([
  ["JSON", '{"a":'.repeat(1_000_000) + "1" + "}".repeat(1_000_000)],
  ["YAML within the stack", `a: ${"[".repeat(200)}${"]".repeat(200)}`],
  ["YAML in one line", `a: ${"[".repeat(5_000)}${"]".repeat(5_000)}`],
  ["YAML in lines", Array.from({ length: 2_000 }, (_, level) => `${" ".repeat(level)}a:`).join("\n")],
  ["a list of lists", `${"- ".repeat(2_000)}a`],
])("refuses %s that is nested deeper than the stack, as a mistake of its document", (_, text) => {
  expect([...parseDocuments(text)]).toEqual([
    { line: 1, value: undefined, error: expect.stringMatching(/^it is nested deeper than 100 levels/) },
  ]);
});

it("stops at a document that would fill the memory, such as one of 10 million aliases", () => {
  const attack = `a: 1\n---\nb: 1\n---\na: &a 1\nb: [${"*a,".repeat(10_000_000)}]\n---\nc: 1\n`;
  expect([...parseDocuments(attack, 100_000)]).toEqual([
    { line: 1, value: { a: 1 } },
    { line: 4, value: undefined, error: expect.stringMatching(/^it is too large for YAML: write a List as JSON, or /) },
  ]);
});

it("reads any number of documents, none of which is too large", () => {
  const text = "kind: A\nspec: {a: 1, b: 2, c: 3, d: 4}\n---\n".repeat(100);
  expect([...parseDocuments(text, 60)].filter(({ error }) => error === undefined)).toHaveLength(101);
});
