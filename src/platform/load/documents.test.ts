import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { maximumDocument, UnreadableText } from "./document-text.ts";
import { jsonDocuments } from "./json-text.ts";
import { DocumentError } from "./load-error.ts";
import { documentsOf, sourceFiles } from "./source-file.ts";
import { yamlDocuments } from "./yaml-text.ts";

/** The documents do not depend on how the text is split into chunks. */
function cut(text: string, documents: (chunks: Iterable<string>) => Iterable<{ text: string; line: number }>) {
  const whole = [...documents([text])];
  for (const size of [1, 2, 3, 7])
    expect([...documents(text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [])]).toEqual(whole);
  return whole;
}

describe("jsonDocuments", () => {
  it.each([
    ["one object", '\n{"a": 1}\n', [['{"a": 1}', 2]]],
    [
      "consecutive objects",
      '{"a":1}\n{"a":2}\n\n{"a":3}',
      [
        ['{"a":1}', 1],
        ['{"a":2}', 2],
        ['{"a":3}', 4],
      ],
    ],
    [
      "an array",
      '[\n  {"a": [1, {}]},\n  {}\n]\n',
      [
        ['{"a": [1, {}]}', 2],
        ["{}", 3],
      ],
    ],
    ["brackets and quotes in strings", '[{"}]": "\\"}{\\\\"}]', [['{"}]": "\\"}{\\\\"}', 1]]],
    [
      "an object over several lines",
      '{\n"a":\n1}\n{}',
      [
        ['{\n"a":\n1}', 1],
        ["{}", 4],
      ],
    ],
    ["nothing", " \n", []],
  ])("%s", (_, text, expected) =>
    expect(cut(text, jsonDocuments).map((document) => [document.text, document.line])).toEqual(expected),
  );

  it.each([
    ['{"a": 1', 1, "ends within this document"],
    ['[{"a": 1},\n', 2, "ends within its array"],
    ['{}\n"text"', 2, "must be an object"],
    ["[[{}]]", 1, "must be an object"],
    ["[{}] {}", 1, "must be an object"],
    ["{}\n]", 2, "must be an object"],
  ])("rejects %j at line %d: %s", (text, line, message) => {
    const read = () => [...jsonDocuments([text])];
    expect(read).toThrowError(message);
    expect(read).toThrowError(expect.objectContaining({ line }));
  });
});

describe("yamlDocuments", () => {
  it.each([
    ["one without a marker", "a: 1\n", [["a: 1\n", 1]]],
    [
      "several",
      "a: 1\n---\na: 2\n--- # three\na: 3",
      [
        ["a: 1\n", 1],
        ["---\na: 2\n", 2],
        ["--- # three\na: 3\n", 4],
      ],
    ],
    ["comments before a marker are not a document", "# about\n\n---\na: 1\n", [["---\na: 1\n", 3]]],
    ["directives are part of the next one", "%YAML 1.2\n---\na: 1\n", [["%YAML 1.2\n---\na: 1\n", 1]]],
    [
      "an end marker",
      "a: 1\n...\n# about\n---\na: 2\n",
      [
        ["a: 1\n", 1],
        ["---\na: 2\n", 4],
      ],
    ],
    ["markers that are indented or longer are text", "a: |\n  ---\n----: 1\n", [["a: |\n  ---\n----: 1\n", 1]]],
    [
      "Windows line endings",
      "a: 1\r\n---\r\na: 2\r\n",
      [
        ["a: 1\r\n", 1],
        ["---\r\na: 2\r\n", 2],
      ],
    ],
    ["nothing", "# only\n", []],
  ])("%s", (_, text, expected) =>
    expect(cut(text, yamlDocuments).map((document) => [document.text, document.line])).toEqual(expected),
  );
});

it.each([
  ["JSON", jsonDocuments, ['{"a":"']],
  ["YAML", yamlDocuments, ["a: 1\n"]],
  ["YAML in one line", yamlDocuments, ["a: "]],
] as const)("rejects a document in %s that is too large before it is read completely", (_, documents, head) => {
  let read = 0;
  function* endless() {
    yield* head;
    for (;;) {
      read += 65_536;
      yield "x".repeat(65_535) + (head[0].endsWith("\n") ? "\n" : "x");
    }
  }
  expect(() => [...documents(endless())]).toThrowError(UnreadableText);
  expect(read).toBeLessThan(maximumDocument + 200_000);
});

describe("files", () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-load-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string | Buffer) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const read = (path: string) =>
    sourceFiles([path])
      .flatMap((source) => [...documentsOf(source, () => {})])
      .map((document) =>
        document instanceof DocumentError ? document.message.replace(`${folder}/`, "") : document.value,
      );

  it("are read by their extension, those of a folder in order", () => {
    file("b.yaml", "a: 1\n---\n---\na: 2\n");
    file("a.jsonl", '{"a": 3}\n{"a": 4}\n');
    file("README.md", "not this");
    expect(read(folder)).toEqual([{ a: 3 }, { a: 4 }, { a: 1 }, { a: 2 }]);
    expect(() => sourceFiles([join(folder, "none.yaml")])).toThrowError("none.yaml: no such file or folder");
    expect(() => sourceFiles([join(folder, "README.md")])).toThrowError("README.md: the file extension must be one of");
  });

  it("report a document that cannot be parsed with file, document and line, and continue with the next", () => {
    expect(read(file("c.json", '{"a": 1}\n{"a": }\n{"a": 2}'))).toEqual([
      { a: 1 },
      expect.stringMatching(/^c\.json, document 2 \(line 2\): is not JSON: /),
      { a: 2 },
    ]);
    expect(read(file("d.yaml", "a: 1\n---\nb: 1\na: [1\n---\na: 2\n"))).toEqual([
      { a: 1 },
      expect.stringMatching(/^d\.yaml, document 2 \(line [45]\): is not YAML: /),
      { a: 2 },
    ]);
    expect(read(file("e.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xff, 0x0a])))).toEqual([
      "e.yaml, document 1 (line 1): the file must be UTF-8",
    ]);
    expect(read(file("f.json", '[{"a": 1}, 7]'))).toEqual([
      { a: 1 },
      "f.json, document 2 (line 1): a document must be an object",
    ]);
  });

  it("reject a YAML document with excessive alias expansion", () => {
    const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(",")}]`);
    expect(read(file("g.yaml", `l0: &l0 [x]\n${levels.join("\n")}\n`))).toEqual([
      expect.stringContaining("Excessive alias count"),
    ]);
  });
});
