import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { beginningsOf, everyMatchBegins } from "./pattern-prefix.ts";

describe("beginningsOf", () => {
  it.each<[string, readonly string[]]>([
    ["repo:acme/.*", ["repo:acme/"]],
    ["^repo:acme/.*$", ["repo:acme/"]],
    ["\\Arepo:acme/.*\\z", ["repo:acme/"]],
    ["(?s)repo:acme/.*", ["repo:acme/"]],
    ["repo:(acme|acme-labs)/.*", ["repo:acme/", "repo:acme-labs/"]],
    ["repo:(?:a|(?P<b>b)|(?<c>c))/", ["repo:a/", "repo:b/", "repo:c/"]],
    ["a|b|", ["a", "b", ""]],
    ["repo:acme(-labs)?/.*", ["repo:acme/", "repo:acme-labs/"]],
    ["repo:acme/a?", ["repo:acme/", "repo:acme/a"]],
    ["repo:acme/*", ["repo:acme"]],
    ["repo:acme/{0,3}", ["repo:acme"]],
    ["repo:acme/{0}", ["repo:acme"]],
    ["repo:acme/{2}x", ["repo:acme/"]],
    ["repo:acme/+?x", ["repo:acme/"]],
    ["x{,5}", ["x{,5}"]],
    ["(ab)+c", ["ab"]],
    ["(repo:acme/)*", [""]],
    ["a\\.b[.]c[\\.]d", ["a.b.c.d"]],
    ["\\Qa.b|c\\E/.*", ["a.b|c/"]],
    ["\\Qab\\E*", [""]],
    ["\\x41\\x{42}.", ["AB"]],
    ["repo:[ab]cme/", ["repo:"]],
    ["repo:[^]|x]a|b", ["repo:", "b"]],
    ["repo:[[:alpha:]|x]a|b", ["repo:", "b"]],
    ["repo:[\\]|x]a|b", ["repo:", "b"]],
    ["a\\p{Greek}b", ["a"]],
    ["a\\pNb", ["a"]],
    ["zürich☂🌂.*", ["zürich☂🌂"]],
    ["🌂?x", ["x", "🌂x"]],
    ["", [""]],
    ["^$", [""]],
  ])("%s", (pattern, beginnings) => {
    expect(beginningsOf(pattern)).toEqual(beginnings);
  });

  it.each([
    "(?i)repo:acme/.*",
    "repo:acme/(?i).*",
    "(?i:repo:acme/)",
    "(?m)^repo:acme/",
    "repo:(?=acme)",
    "(repo:acme/",
    "repo:acme)/",
    "repo:[acme",
    "a**",
    "a+?*",
    "*a",
    "\\1",
    "\\07",
    "\\x{110000}",
    "a\\",
    "a\\Eb",
  ])("does not analyze %s", (pattern) => {
    expect(beginningsOf(pattern)).toBeUndefined();
  });

  it("stops at too many alternatives", () => {
    expect(beginningsOf(`x${"(a|b)".repeat(100)}`)).toHaveLength(64);
    expect(beginningsOf(Array.from({ length: 65 }, (_, index) => `a${index}`).join("|"))).toEqual([""]);
  });

  it("takes linear time", () => {
    const started = performance.now();
    expect(beginningsOf(`${"(".repeat(500)}a${")+".repeat(500)}`)).toEqual(["a"]);
    expect(beginningsOf("[".repeat(1_024))).toBeUndefined();
    expect(beginningsOf("\\Q".repeat(512))).toBeDefined();
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe("everyMatchBegins", () => {
  const prefixes = ["repo:acme/", "repo:acme-labs/"];
  it.each([
    ["repo:acme/.*", true],
    ["repo:(acme|acme-labs)/.*", true],
    ["repo:acme(-labs)?/.*", true],
    ["repo:acme/shop:ref:refs/heads/(main|release-.*)", true],
    ["repo:acme.*", false],
    ["repo:acme/.*|.*", false],
    ["repo:acme/.*|repo:evil/.*", false],
    ["repo:acme/.*|", false],
    ["(repo:acme/)?.*", false],
    ["(repo:acme/)*.*", false],
    ["repo:acme[/]x", true],
    ["repo:acme[/x].*", false],
    [".*repo:acme/.*", false],
    ["", false],
    ["(?i)repo:acme/.*", false],
    ["rep", false],
  ])("%s: %s", (pattern, expected) => {
    expect(everyMatchBegins(pattern, prefixes)).toBe(expected);
  });
});

describe("the analysis is sound", () => {
  /** A generator of numbers in [0, 1) that is the same in every run. */
  function random(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  const pieces = [
    "a",
    "b",
    "/",
    ":",
    "-",
    ".",
    "^",
    "$",
    "|",
    "|",
    "(",
    ")",
    "(?:",
    "(?P<n>",
    "(?i)",
    "(?s)",
    "*",
    "+",
    "?",
    "{2}",
    "{0,1}",
    "{1,2}",
    "{,1}",
    "[ab]",
    "[^a]",
    "[]a]",
    "[^]|a]",
    "[[:alpha:]b]",
    "[a-b|]",
    "[.]",
    "[\\]a]",
    "\\.",
    "\\Qa|\\E",
    "\\Qab",
    "\\E",
    "\\x61",
    "\\x{62}",
    "\\d",
    "\\pL",
    "\\b",
    "\\z",
  ];

  it("for generated patterns and every short text that they match", () => {
    const texts = [""];
    for (let start = 0, length = 1; length <= 5; length += 1) {
      const end = texts.length;
      for (const text of texts.slice(start, end)) for (const character of "ab|A.") texts.push(text + character);
      start = end;
    }
    const next = random(42);
    let compiledPatterns = 0;
    let checked = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const length = 1 + Math.floor(next() * 7);
      const pattern = Array.from({ length }, () => pieces[Math.floor(next() * pieces.length)]).join("");
      const beginnings = beginningsOf(pattern);
      if (beginnings === undefined || beginnings.includes("")) continue;
      let compiled: RE2JS;
      try {
        compiled = RE2JS.compile(pattern);
      } catch {
        continue;
      }
      compiledPatterns += 1;
      // A sample of the texts, another one for each pattern.
      for (let index = round % 7; index < texts.length; index += 7) {
        const text = texts[index] ?? "";
        if (beginnings.some((beginning) => text.startsWith(beginning))) continue;
        checked += 1;
        if (compiled.matches(text))
          expect.unreachable(`${pattern} matches ${text}, which begins with none of ${beginnings.join()}`);
      }
    }
    expect(compiledPatterns).toBeGreaterThan(1_000);
    expect(checked).toBeGreaterThan(100_000);
  });
});
