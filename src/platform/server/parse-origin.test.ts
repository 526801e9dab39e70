import { describe, expect, it } from "vitest";
import { parseOrigin } from "./parse-origin.ts";

describe("parseOrigin", () => {
  it.each(["https://console.example.com", "https://a.example.com:8443", "http://localhost:5173", "http://[::1]:8080"])(
    "accepts %s",
    (origin) => {
      expect(parseOrigin(origin)).toBe(origin);
    },
  );

  it.each([
    ["*", "name each origin"],
    ["https://*.example.com", "name each origin"],
    ["null", "name each origin"],
    ["console.example.com", "is not an origin"],
    ["ftp://a.example.com", "is not an origin"],
    ["http://console.example.com", "must use https"],
    ["https://console.example.com/", 'write "https://console.example.com"'],
    ["https://console.example.com/app?a=b", 'write "https://console.example.com"'],
    ["https://Console.Example.com:443", 'write "https://console.example.com"'],
    ["https://user@a.example.com", 'write "https://a.example.com"'],
  ])("refuses %s, and says what to write", (text, fix) => {
    expect(() => parseOrigin(text)).toThrowError(fix);
  });
});
