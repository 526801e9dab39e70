import { expect, it } from "vitest";
import { isJsonObject } from "./json-object.ts";
import { parseJson, parseJsonObject } from "./parse-json.ts";

it.each(["{}", '{"name":"web","items":[null]}'])("parses the object %s", (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
  expect(parseJsonObject(text)).toEqual(JSON.parse(text));
});

it.each(["null", "[]", "[{}]", '"text"', "0", "true"])("parses %s, which is not an object", (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
  expect(parseJsonObject(text)).toBeUndefined();
});

it.each(["", "{", "{} {}", "name: web", "undefined"])("returns undefined for %j, which is not JSON", (text) => {
  expect(parseJson(text)).toBeUndefined();
  expect(parseJsonObject(text)).toBeUndefined();
});

it("takes an object without a prototype for an object", () => {
  expect(isJsonObject(Object.assign(Object.create(null), { name: "web" }))).toBe(true);
  expect(isJsonObject(undefined)).toBe(false);
});
