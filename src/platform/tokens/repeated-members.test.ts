import { describe, expect, it } from "vitest";
import { hasRepeatedMember } from "./repeated-members.ts";

describe("hasRepeatedMember", () => {
  it.each([
    '{"sub":"a","sub":"b"}',
    '{ "sub" : 1 , "iss" : 2 , "sub" : 1 }',
    '{"sub":1,"s\\u0075b":2}',
    '{"a":{"b":1,"b":2}}',
    '{"a":[{"b":1},{"b":1,"b":2}]}',
    '{"a":{"b":1},"a":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a\\"":1,"a\\"":2}',
  ])("finds one in %s", (json) => {
    expect(() => void JSON.parse(json)).not.toThrow();
    expect(hasRepeatedMember(json)).toBe(true);
  });

  it.each([
    "{}",
    '{"a":1,"b":1,"A":1}',
    '{"a":{"a":{"a":1}}}',
    '{"a":[{"a":1},{"a":1}],"b":{"a":1}}',
    '{"a":"a","b":"a","c":["a","a"]}',
    '{"a":"{\\"b\\":1,\\"b\\":2}"}',
    '{"a":"\\\\","b":":"}',
    '"a"',
  ])("finds none in %s", (json) => {
    expect(() => void JSON.parse(json)).not.toThrow();
    expect(hasRepeatedMember(json)).toBe(false);
  });
});
