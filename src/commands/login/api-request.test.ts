import { describe, expect, it } from "vitest";
import { type ApiArguments, apiCall, parseField } from "./api-request.ts";

const platform = "https://platform.example.com";
const call = (changes: Partial<ApiArguments>, of = platform) =>
  apiCall({ method: "GET", path: "/iam/v2beta1/groups", fields: [], data: undefined, ...changes }, of);
const fields = (...texts: readonly string[]) => texts.map(parseField);

describe("a call of the API", () => {
  it("has fields in the query, or in the body", () => {
    const given = fields("name=a b&c", "name=d", "uidp.in_root:=true");
    expect(call({ fields: given })).toEqual({
      method: "GET",
      path: "/iam/v2beta1/groups?name=a+b%26c&name=d&uidp.in_root=true",
    });
    expect(call({ path: "/g?page_size=1", fields: fields("name=d") }).path).toBe("/g?page_size=1&name=d");
    const { body = "" } = call({
      method: "POST",
      fields: fields("name=a=b", "claimMatch.issuer=i", 'claimMatch.claims:={"a":1}', "n:=1", "__proto__.x=y", "text="),
    });
    expect(body).toBe(
      '{"name":"a=b","claimMatch":{"issuer":"i","claims":{"a":1}},"n":1,"__proto__":{"x":"y"},"text":""}',
    );
    expect(call({ method: "PATCH", data: '{"a":1}' }).body).toBe('{"a":1}');
    expect(call({ method: "POST" }).body).toBeUndefined();
  });

  it.each([
    ["another host", "//evil.example/x", undefined],
    ["another host as a user", "/@evil.example", "/@evil.example"],
    ["dots", "/iam/../../../x", "/x"],
  ])("stays on the platform for %s", (_, path, expected) => {
    if (expected === undefined) expect(new URL(platform + call({ path }).path).host).toBe("platform.example.com");
    else expect(call({ path }).path).toBe(expected);
  });

  it.each([
    ["no path", "iam/v2beta1/groups"],
    ["a whole address", "https://evil.example/"],
    ["the end of a host name", ".evil.example/x"],
    ["a user name", "@evil.example/x"],
    ["a port", ":8080/x"],
    ["a fragment", "/x#y"],
    ["a line break", "/x\r\nHost: y"],
    ["a backslash", "/\\evil.example"],
  ])("is refused with %s", (_, path) => {
    expect(() => call({ path })).toThrow("is not a path of the API");
  });

  it("does not leave the path of the platform's address", () => {
    const below = "https://example.com/platform";
    expect(call({ path: "/iam" }, below).path).toBe("/iam");
    expect(call({ path: "/a/../b" }, below).path).toBe("/b");
    for (const path of ["/../other", "/%2e%2e/other", "/../platform2/x"])
      expect(() => call({ path }, below)).toThrow("leads out of https://example.com/platform");
  });

  it.each([
    ["a body with GET", { data: "{}" }, "--data: GET has no body"],
    ["fields and data", { method: "POST", data: "{}", fields: fields("a=b") }, "exclude each other"],
    ["a field twice", { method: "POST", fields: fields("a=b", "a=c") }, "a is given twice; a list is written a:="],
    ["a field below a text", { method: "POST", fields: fields("a=b", "a.c=d") }, "a.c is below a value"],
    ["a field above another", { method: "POST", fields: fields("a.c=d", "a=b") }, "a is given twice"],
    ["a field below JSON", { method: "POST", fields: fields("a:={}", "a.c=d") }, "a.c is below a value"],
  ])("is refused with %s", (_, changes, message) => {
    expect(() => call(changes)).toThrow(message);
  });

  it.each(["a", "=b", "a..b=c", ".a=b", `${"a.".repeat(20)}b=c`])("has no field %s", (text) => {
    expect(() => parseField(text)).toThrow("is not NAME=TEXT or NAME:=JSON");
  });

  it("has JSON where a field says so", () => {
    expect(parseField("a:=[1,2]")).toEqual({ name: "a", value: [1, 2] });
    expect(parseField("a=:=1")).toEqual({ name: "a", value: ":=1" });
    expect(() => parseField("a:=yes")).toThrow("the value of a is not JSON: yes");
  });
});
