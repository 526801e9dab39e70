import { describe, expect, it } from "vitest";
import * as z from "zod";
import { atMostOneOf, exactlyOneOf, immutable, matches, matchesNot, withRules } from "./rule.ts";

const schema = z.object({ a: z.string().exactOptional(), b: z.string().exactOptional() });
const messages = (judged: z.ZodType, value: unknown) =>
  judged.safeParse(value).error?.issues.map(({ message }) => message);

describe("withRules", () => {
  it("gives the API server CEL and a sentence, and nothing of TypeScript", () => {
    const { rule, message } = exactlyOneOf<{ a?: string; b?: string }>(["a", "b"], "there is one");
    expect(withRules(schema, exactlyOneOf(["a", "b"], "there is one")).meta()).toEqual({
      "x-kubernetes-validations": [{ rule, message }],
    });
    expect(message).toBe("set exactly one of a and b: there is one");
  });

  it("says where the mistake is", () => {
    const ruled = withRules(schema, { rule: "false", message: "no", fieldPath: ".a", holds: () => false });
    expect(ruled.safeParse({}).error?.issues).toMatchObject([{ message: "no", path: ["a"] }]);
  });

  it("keeps its rules when the schema is described and made optional", () => {
    const part = withRules(z.string(), matches(/^a$/, "must be a")).exactOptional().describe("A letter.");
    expect(z.toJSONSchema(z.object({ part }), { io: "input" }).properties).toEqual({
      part: {
        type: "string",
        description: "A letter.",
        "x-kubernetes-validations": [{ rule: "self.matches(r'^a$')", message: "must be a" }],
      },
    });
  });
});

describe("exactlyOneOf", () => {
  const ruled = withRules(schema, exactlyOneOf(["a", "b"], "there is one"));
  it.each([
    [{}, false],
    [{ a: "" }, true],
    [{ b: "" }, true],
    [{ a: "", b: "" }, false],
  ])("%o: %s", (value, right) => {
    expect(ruled.safeParse(value).success).toBe(right);
  });

  it("lists more than two as one reads it", () => {
    const { message } = exactlyOneOf<Record<string, string>>(["a", "b", "c"], "why");
    expect(message).toBe("set exactly one of a, b and c: why");
  });
});

describe("atMostOneOf", () => {
  const ruled = withRules(schema, atMostOneOf(["a", "b"], "there is one"));
  it.each([
    [{}, true],
    [{ a: "" }, true],
    [{ a: "", b: "" }, false],
  ])("%o: %s", (value, right) => {
    expect(ruled.safeParse(value).success).toBe(right);
  });
});

describe("matches and matchesNot", () => {
  it("look at the same pattern as CEL", () => {
    const ruled = withRules(z.string(), matches(/^[a-z/]+$/, "small"), matchesNot(/x/, "no x"));
    expect(messages(ruled, "a/b")).toBeUndefined();
    expect(messages(ruled, "A")).toEqual(["small"]);
    expect(messages(ruled, "Ax")).toEqual(["small", "no x"]);
    expect(ruled.meta()?.["x-kubernetes-validations"]).toEqual([
      { rule: "self.matches(r'^[a-z/]+$')", message: "small" },
      { rule: "!self.matches(r'x')", message: "no x" },
    ]);
  });
});

describe("immutable", () => {
  it("is for the API server alone, which knows the old object", () => {
    expect(withRules(schema, immutable("a", "a stays")).safeParse({ a: "b" }).success).toBe(true);
  });
});
