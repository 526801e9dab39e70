import { describe, expect, it } from "vitest";
import * as z from "zod";
import { atMostOneOf, exactlyOneOf, immutable, matches, matchesNot, withRules } from "./rule.ts";

const schema = z.object({ a: z.string().exactOptional(), b: z.string().exactOptional() });
const messages = (ruled: z.ZodType, value: unknown) =>
  ruled.safeParse(value).error?.issues.map(({ message }) => message);

describe("withRules", () => {
  it("publishes the CEL expression and the message, without the TypeScript check", () => {
    const { rule, message } = exactlyOneOf<{ a?: string; b?: string }>(["a", "b"]);
    expect(withRules(schema, exactlyOneOf(["a", "b"])).meta()).toEqual({
      "x-kubernetes-validations": [{ rule, message }],
    });
    expect(message).toBe("exactly one of a and b must be set");
  });

  it("publishes the rules of a schema that already has rules", () => {
    const ruled = withRules(
      withRules(z.string(), matches(/^a/, "must start with a")),
      matches(/z$/, "must end with z"),
    );
    expect(ruled.meta()?.["x-kubernetes-validations"]).toEqual([
      { rule: "self.matches(r'^a')", message: "must start with a" },
      { rule: "self.matches(r'z$')", message: "must end with z" },
    ]);
  });

  it("reports the path of the invalid field", () => {
    const ruled = withRules(schema, { rule: "false", message: "no", fieldPath: ".a", holds: () => false });
    expect(ruled.safeParse({}).error?.issues).toMatchObject([{ message: "no", path: ["a"] }]);
  });

  it("keeps the rules when the schema is described and made optional", () => {
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
  const ruled = withRules(schema, exactlyOneOf(["a", "b"]));
  it.each([
    [{}, false],
    [{ a: "" }, true],
    [{ b: "" }, true],
    [{ a: "", b: "" }, false],
  ])("%o: valid is %s", (value, valid) => {
    expect(ruled.safeParse(value).success).toBe(valid);
  });

  it("separates more than two fields with commas", () => {
    const { message } = exactlyOneOf<Record<string, string>>(["a", "b", "c"]);
    expect(message).toBe("exactly one of a, b and c must be set");
  });
});

describe("atMostOneOf", () => {
  const ruled = withRules(schema, atMostOneOf(["a", "b"]));
  it.each([
    [{}, true],
    [{ a: "" }, true],
    [{ a: "", b: "" }, false],
  ])("%o: valid is %s", (value, valid) => {
    expect(ruled.safeParse(value).success).toBe(valid);
  });
});

describe("matches and matchesNot", () => {
  it("use the same pattern in TypeScript and in CEL", () => {
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
  it("is enforced by the API server only, which knows the old object", () => {
    expect(withRules(schema, immutable("a", "a stays")).safeParse({ a: "b" }).success).toBe(true);
  });
});
