import { expect, it } from "vitest";
import * as z from "zod";
import { identitySpecSchema } from "./identity.ts";
import { matches, withRules } from "./rule.ts";
import { parseWithSchema } from "./schema-mistake.ts";

const schema = z.strictObject({
  text: z.string().min(1).max(3).optional(),
  long: z.string().min(2).optional(),
  list: z.array(z.string()).max(1).optional(),
  map: z.record(z.string(), z.boolean()).optional(),
  count: z.int().min(0).max(9).optional(),
  one: z.enum(["A", "B"]).optional(),
  matched: withRules(z.string(), matches(/^a$/, "must be the letter a")).optional(),
  form: z.string().regex(/^a$/).optional(),
  time: z.iso.datetime().optional(),
  union: z.union([z.literal(1), z.array(z.string())]).optional(),
});

it.each<[value: unknown, path: string, message: string]>([
  [{ text: "" }, "text", "must not be empty"],
  [{ text: "four" }, "text", "must have at most 3 characters"],
  [{ long: "a" }, "long", "must have at least 2 characters"],
  [{ text: ["a"] }, "text", "must be a text"],
  [{ list: "a" }, "list", "must be a list"],
  [{ list: ["a", "b"] }, "list", "must have at most 1 item"],
  [{ map: { a: "b" } }, "map.a", "must be true or false"],
  [{ count: 10 }, "count", "must be at most 9"],
  [{ one: "C" }, "one", "must be A or B"],
  [{ other: 1, more: 2 }, "", "has the unknown fields other, more"],
  [{ matched: "b" }, "matched", "must be the letter a"],
  [{ form: "b" }, "form", "has characters, or a form, that the field does not permit"],
  [{ time: "b" }, "time", "must be a valid datetime"],
  [{ union: 2 }, "union", "has a value that the field does not permit"],
  ["a", "", "must be an object"],
])("says in words what is wrong with %j", (value, path, message) => {
  const parsed = parseWithSchema(schema, value);
  expect("mistake" in parsed && { ...parsed.mistake, path: parsed.mistake.path.join(".") }).toEqual({ path, message });
});

it("names a field that is missing", () => {
  const parsed = parseWithSchema(identitySpecSchema, { groupUid: "a".repeat(40), staticKeys: {} });
  expect(parsed).toEqual({ mistake: { path: ["staticKeys", "issuer"], message: "is required" } });
});

it("returns the value with its defaults", () => {
  expect(parseWithSchema(z.object({ a: z.number().default(1) }), {})).toEqual({ value: { a: 1 } });
});
