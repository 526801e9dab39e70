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

it("refuses aliases that would fill the memory, as a mistake of their document", () => {
  const levels = Array.from({ length: 9 }, (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}]`);
  expect([...parseDocuments(["a: 1", "---", "l0: &l0 [x]", ...levels, "---", "b: 2"].join("\n"))]).toMatchObject([
    { line: 1, value: { a: 1 } },
    { line: 3, error: expect.stringContaining("alias") },
    { value: { b: 2 } },
  ]);
});
