import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { analyzePattern, type PatternAnalysis } from "./certain-pattern.ts";

/** A beginning that is not the whole match ends with an ellipsis. */
function beginningsOf(analysis: PatternAnalysis): readonly string[] | undefined {
  return analysis.is === "certain"
    ? analysis.beginnings.map(({ text, isWhole }) => (isWhole ? text : `${text}…`))
    : undefined;
}

describe("the beginnings of the matches of", () => {
  it.each<[string, readonly string[]]>([
    ["repo:acme/.*", ["repo:acme/…"]],
    ["^repo:acme/.*$", ["repo:acme/…"]],
    ["repo:(acme|acme-labs)/.*", ["repo:acme/…", "repo:acme-labs/…"]],
    ["repo:(?:a|(b)|c)/", ["repo:a/", "repo:b/", "repo:c/"]],
    ["^a|b$", ["a", "b"]],
    ["repo:acme(-labs)?/.*", ["repo:acme/…", "repo:acme-labs/…"]],
    ["repo:acme/a?", ["repo:acme/", "repo:acme/a"]],
    ["repo:acme/*", ["repo:acme…"]],
    ["repo:acme/{0,3}", ["repo:acme…"]],
    ["repo:acme/{0}", ["repo:acme…"]],
    ["repo:acme/{2}x", ["repo:acme/…"]],
    ["repo:acme/{2,}x", ["repo:acme/…"]],
    ["(ab)+c", ["ab…"]],
    ["(repo:acme/)*", ["…"]],
    ["a\\.b[.]c[\\.]d", ["a.b.c.d"]],
    ["repo:[ab]cme/", ["repo:…"]],
    ["repo:[^\\]|x]a|b", ["repo:…", "b"]],
    ["repo:[a-z0-9_-]+", ["repo:…"]],
    ["repo:[-^\\d]", ["repo:…"]],
    ["a\\d\\w\\s\\D\\W\\Sb", ["a…"]],
    ["zürich☂🌂.*", ["zürich☂🌂…"]],
    ["(?:🌂)?x", ["x", "🌂x"]],
    ["", [""]],
    ["^$", [""]],
    ["\\$", ["$"]],
  ])("%s", (pattern, beginnings) => {
    expect(beginningsOf(analyzePattern(pattern))).toEqual(beginnings);
  });
});

describe("a pattern is refused by name, with the position and the way to write it", () => {
  it.each<[string, number, string, string?]>([
    ["(?:repo:acme/)\\Q\\E?.*", 15, "\\Q...\\E quoting", "Write the text without \\Q and \\E"],
    ["☂🌂\\Qa.b\\E", 3, "\\Q...\\E quoting"],
    ["a\\Eb", 2, "\\Q...\\E quoting"],
    ["(?i)repo:acme/.*", 1, "the flag (?i)", "Leave it out, and write"],
    ["repo:acme/(?i).*", 11, "the flag (?i)"],
    ["(?i:repo:acme/)", 1, "the flag (?i:", "Leave it out, and write"],
    ["(?s)repo:acme/.*", 1, "the flag (?s)", "Leave it out."],
    ["(?-s:a)", 1, "the flag (?-s:"],
    ["a(?U)*", 2, "the flag (?U)"],
    ["a(?P<b>c)", 2, "the named group (?P<b>", "Write (?: instead of it."],
    ["a(?<b>c)", 2, "the named group (?<b>"],
    ["repo:(?=acme)", 6, "the group (?="],
    ["a(?!b)", 2, "the group (?!"],
    ["a(?<=b)", 2, "the group (?<"],
    ["a(?P=b)", 2, "the group (?P"],
    ["(", 2, "an empty alternative or group"],
    ["a()b", 3, "an empty alternative or group"],
    ["a(?:)?b", 5, "an empty alternative or group"],
    ["a|", 3, "an empty alternative or group", "Write (?:x|y)? for x, y or nothing"],
    ["(|a)", 2, "an empty alternative or group"],
    ["(repo:acme/", 1, "a ( without its )", "Close the group"],
    ["repo:acme)/", 10, "a ) without its ("],
    ["a**", 3, "the quantifier * after the quantifier *"],
    ["a+?", 3, "the quantifier ? after the quantifier +", "Leave the ? of a lazy quantifier out"],
    ["a{2}{3}", 5, "the quantifier {3} after the quantifier {2}"],
    ["*a", 1, "the quantifier * after nothing that it could repeat", "Write \\* for the character."],
    ["^*a", 2, "the quantifier * after nothing that it could repeat"],
    ["a|+", 3, "the quantifier + after nothing that it could repeat"],
    ["x{,5}", 2, "the braces {,5}, which are not {n}, {n,} or {n,m} with numbers up to 1000"],
    ["x{01}", 2, "the braces {01}, which are not {n}"],
    ["x{2,1}", 2, "the braces {2,1}, which are not {n}"],
    ["x{1001}", 2, "the braces {1001}, which are not {n}"],
    ["x{a", 2, "a { without a backslash", "Write \\{ for the character."],
    ["x}", 2, "a } without a backslash"],
    ["x]", 2, "a ] without a backslash"],
    ["a^b", 2, "the anchor ^ inside of the pattern", "Leave it out: a pattern matches the whole text."],
    ["a$b", 2, "the anchor $ inside of the pattern"],
    ["(a$)", 3, "the anchor $ inside of the pattern"],
    ["a$?", 2, "the anchor $ inside of the pattern"],
    ["\\Aa", 1, "the anchor \\A"],
    ["a\\z", 2, "the anchor \\z"],
    ["a\\b", 2, "the word boundary \\b"],
    ["\\pL", 1, "the Unicode class \\p"],
    ["[\\PN]", 2, "the Unicode class \\P"],
    ["\\x41", 1, "the escape \\x", "Write the character itself"],
    ["\\07", 1, "the escape \\0"],
    ["\\1", 1, "the escape \\1"],
    ["\\C", 1, "the escape \\C"],
    ["\\<", 1, "the escape \\<", "Write the character without the backslash."],
    ["\\é", 1, "the escape \\é"],
    ["a\\", 2, "a backslash at the end"],
    ["[[:alpha:]]", 2, "a [ in a class", "a-zA-Z for [:alpha:]"],
    ["[]a]", 2, "a ] at the beginning of a class"],
    ["[^]a]", 3, "a ] at the beginning of a class"],
    ["[a", 1, "a [ without its ]"],
    ["[a-c-e]", 5, "a - between the characters of a class"],
    ["[z-a]", 2, "the range z-a"],
    ["[\\d-x]", 2, "the range \\d-x"],
    ["[ü]", 2, "a character in a class that is not printable ASCII", "(?:ä|ö)"],
    ["ü*", 2, "the quantifier * on a character beyond ASCII", "(?:ü)*"],
    ["a\u{1}", 2, "an unprintable or invalid character"],
    ["a\u{FFFD}", 2, "an unprintable or invalid character"],
    ["a\uD800b", 2, "an unprintable or invalid character"],
  ])("%s", (pattern, position, construct, instead = "") => {
    const analysis = analyzePattern(pattern);
    expect(analysis).toMatchObject({ is: "refused", refusal: { position } });
    if (analysis.is === "certain") return;
    expect(analysis.refusal.construct).toContain(construct);
    expect(analysis.refusal.instead).toContain(instead);
  });
});

it("stops at too many alternatives", () => {
  expect(beginningsOf(analyzePattern(`x${"(a|b)".repeat(100)}`))).toHaveLength(64);
  const alternatives = Array.from({ length: 65 }, (_, index) => `a${index}`).join("|");
  expect(beginningsOf(analyzePattern(alternatives))).toEqual(["…"]);
  expect(beginningsOf(analyzePattern(`(${alternatives.slice(0, -4)})?`))).toEqual(["…"]);
});

it("takes linear time", () => {
  const started = performance.now();
  expect(beginningsOf(analyzePattern(`${"(".repeat(500)}a${")+".repeat(500)}`))).toEqual(["a…"]);
  for (const part of ["[", "(", "a|", "{", "(a|b)?", "\\"]) analyzePattern(part.repeat(1_024 / part.length));
  expect(performance.now() - started).toBeLessThan(500);
});

it("accepts only what RE2 accepts, as far as the parts of a pattern decide it", () => {
  const parts = [
    "a",
    "é",
    ".",
    "[a-]",
    "[^\\]-a]",
    "[--a]",
    "\\-",
    "\\s",
    "(?:a|b)",
    "^",
    "$",
    "|",
    "*",
    "{2}",
    "{0,1000}",
  ];
  const patterns = parts.flatMap((one) => parts.flatMap((other) => parts.map((third) => one + other + third)));
  const accepted = patterns.filter((pattern) => analyzePattern(pattern).is === "certain");
  expect(accepted.length).toBeGreaterThan(500);
  for (const pattern of accepted) expect(() => RE2JS.compile(pattern), pattern).not.toThrow();
});
