import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { tokenLimits } from "../limits/token-limits.ts";
import { compilePattern } from "./pattern.ts";
import { expandedSize } from "./pattern-size.ts";

const small = [
  "repo:my-org/[a-z-]+:ref:refs/heads/(main|release-.*)",
  "https://oidc\\.eks\\.[a-z0-9-]+\\.amazonaws\\.com/id/[0-9A-F]{32}",
  "system:serviceaccount:[^:]+:(?:builder|deployer)",
  "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  "(?i)[a-zäöü]+@example\\.com",
  "\\p{Lu}\\pL{0,62}",
  "\\Q[literal](\\E.*",
  "[]a^-]+[[:alpha:]]{2,}",
  "(?P<i>a)|\\x{41}\\101",
];

describe("compilePattern", () => {
  it.each(small)("accepts %s", (pattern) =>
    expect(compilePattern(pattern)).toMatchObject({ kind: "pattern", instructions: expect.any(Number) }),
  );

  it.each(["(", "a**", "[z-a]", "a{1001}", "(?=a)", ""])("calls %j invalid", (pattern) =>
    expect(compilePattern(pattern)).toEqual({ kind: "invalid" }),
  );

  it("matches whole texts", () => {
    const pattern = compilePattern("a+|b");
    if (pattern.kind !== "pattern") throw new Error(pattern.kind);
    expect(["aa", "b", "ab", "", "aab"].map(pattern.matches)).toEqual([true, true, false, false, false]);
  });

  it("estimates the size of a program closely enough to reject large ones without compiling them", () => {
    for (const pattern of [
      ...small,
      "(a{0,30}){0,30}",
      "(|a){800}",
      "()".repeat(500),
      "(()?)?".repeat(166),
      "(?:\\b\\B){900}",
      "(?:(?:a?){30}){30}",
      "((a*)*|b)*".repeat(100),
      "\\Q[\\E(a{1000})",
      "[[:alpha:]]{1000}",
      "\\pL{900}",
      "(?:x?){1000}",
      "a{1,30}|".repeat(60),
      "\\Qa{1000}",
      "({01}{999})".repeat(90),
      "(aaaaaaaaaa)\\Q\\E{900}",
      "(aaaaaaaaaa)(?s)(?-s){900}",
    ]) {
      const instructions = RE2JS.compile(pattern).programSize();
      expect(2 * expandedSize(pattern), pattern).toBeGreaterThan(instructions - 4);
    }
  });

  it("rejects repetitions after an empty quote or flags without compiling them", () => {
    const text = `(${"a".repeat(500)})`;
    for (const between of ["", "\\Q\\E", "(?s)", "(?i)\\Q\\E(?-i)"]) {
      const pattern = `${text}${between}{1000}`;
      expect(expandedSize(pattern), pattern).toBeGreaterThan(400_000);
      expect(compilePattern(pattern), pattern).toEqual({ kind: "tooLarge" });
    }
  });

  it("accepts and rejects by the compiled program", () => {
    const size = (pattern: string) => RE2JS.compile(pattern).programSize();
    expect(size("a{998}")).toBe(tokenLimits.patternProgram.value);
    expect(compilePattern("a{998}").kind).toBe("pattern");
    expect(compilePattern("a{999}")).toEqual({ kind: "tooLarge" });
    // Estimated to be larger than it is, because alternatives that begin alike share their beginning.
    const alternatives = `(?:${Array.from({ length: 90 }, (_, n) => `abcdef${n}`).join("|")}){2}`;
    expect(expandedSize(alternatives)).toBeGreaterThan(1_000);
    expect(compilePattern(alternatives).kind).toBe("pattern");
  });
});
