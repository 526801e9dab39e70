import { expect, it } from "vitest";
import { parseProtoJson } from "./proto-json.ts";

it.each([
  ["a field", '{"a":null,"b":1}', { b: 1 }],
  ["a nested field", '{"a":{"b":null},"c":[{"d":null,"e":{"f":null}}]}', { a: {}, c: [{ e: {} }] }],
  ["nothing of a list, whose elements cannot be null", '{"a":[null,1]}', { a: [null, 1] }],
  ["nothing but nulls", '{"a":"null","b":false,"c":0,"d":""}', { a: "null", b: false, c: 0, d: "" }],
  ["nothing of another value", "null", null],
])("leaves out %s that is null", (_, text, expected) => {
  expect(parseProtoJson(text)).toEqual(expected);
});

it("is not limited by the stack", () => {
  const depth = 100_000;
  const text = `${'{"a":'.repeat(depth)}{"b":null}${"}".repeat(depth)}`;
  let value = parseProtoJson(text);
  for (let level = 0; level < depth; level += 1) value = (value as { a: unknown }).a;
  expect(value).toEqual({});
});
