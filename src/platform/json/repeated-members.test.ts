import { describe, expect, it } from "vitest";
import { hasRepeatedMembers } from "./repeated-members.ts";

const repeats = (json: string) => hasRepeatedMembers(json, JSON.parse(json));

describe("hasRepeatedMembers", () => {
  it.each([
    "{}",
    "1",
    "null",
    '[{"a":1},{"a":2}]',
    '{"a":{"a":{"a":null}},"b":[]}',
    String.raw`{":":"\":","b:":"\\\\:"}`,
    '{"__proto__":{"__proto__":1}}',
    '{"a":1,"b":1,"A":1}',
    '{"a":[{"a":1},{"a":1}],"b":{"a":1}}',
    '{"a":"a","b":"a","c":["a","a"]}',
    String.raw`{"a":"{\"b\":1,\"b\":2}"}`,
    '"a"',
  ])("finds none in %s", (json) => {
    expect(repeats(json)).toBe(false);
  });

  it.each([
    '{"a":1,"a":1}',
    '[[{"a":{"b":1,"c":2,"b":3}}]]',
    String.raw`{"a":1,"\u0061":2}`,
    '{"__proto__":1,"__proto__":2}',
    '{"a":{"b":1},"a":2}',
    '{ "sub" : 1 , "iss" : 2 , "sub" : 1 }',
    String.raw`{"a\"":1,"a\"":2}`,
  ])("finds them in %s", (json) => {
    expect(repeats(json)).toBe(true);
  });

  it("walks values that are nested deeply", () => {
    expect(repeats(`${"[".repeat(4_000)}{"a":1,"a":1}${"]".repeat(4_000)}`)).toBe(true);
  });
});
