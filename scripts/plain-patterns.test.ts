import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { analyzePattern } from "#src/api/certain-pattern.ts";
import { findOpenAccess, publicIssuers } from "#src/api/public-issuers.ts";
import { randomPattern } from "#src/api/random-pattern.testing.ts";
import { seeded } from "#test/support/seeded.ts";
import { begunPattern, ownedPattern, plainPattern, wholePattern } from "./plain-patterns.ts";

const [plain, whole, begun] = [plainPattern, wholePattern, begunPattern].map((one) => RE2JS.compile(one));

function found(expression: RE2JS | undefined, text: string): boolean {
  return expression?.matcher(text).find() === true;
}

const compiles = (pattern: string) => {
  try {
    return RE2JS.compile(pattern) !== undefined;
  } catch {
    return false;
  }
};

it("recognizes only patterns whose beginnings are certain, among random ones", () => {
  const next = seeded(3);
  const counts = { plain: 0, whole: 0, begun: 0 };
  for (let index = 0; index < 20_000; index += 1) {
    const { source } = randomPattern(next);
    if (!compiles(source)) continue;
    const analysis = analyzePattern(source);
    const beginnings = analysis.is === "certain" ? analysis.beginnings : undefined;
    if (found(plain, source)) {
      counts.plain += 1;
      expect(beginnings, source).toBeDefined();
      if (found(begun, source)) {
        counts.begun += 1;
        expect(
          beginnings?.every(({ text }) => text !== ""),
          source,
        ).toBe(true);
      }
    }
    if (found(whole, source)) {
      counts.whole += 1;
      expect(
        beginnings?.every(({ isWhole }) => isWhole),
        source,
      ).toBe(true);
    }
  }
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(200);
});

describe("recognizes a name at the beginning of a pattern", () => {
  const forms = Object.entries(publicIssuers).flatMap(([issuer, { owned }]) =>
    owned.map((form) => [issuer, form] as const),
  );
  it.each(forms)("at %s: %s", (issuer, form) => {
    const isOwned = (pattern: string) => found(plain, pattern) && found(RE2JS.compile(ownedPattern(form)), pattern);
    const [before = "", after = ""] = form.split("*");
    for (const name of ["acme", "acme-labs", "(acme|acme-labs)", "acme(?:-labs)?", "a\\.b"])
      for (const rest of ["", ".*", "(a|b.*)[^:]+", "$"]) {
        const pattern = `${before}${name}${after}${rest}`;
        expect(isOwned(pattern), pattern).toBe(true);
        expect(findOpenAccess({ issuer, subjectPattern: pattern }), pattern).toBeUndefined();
      }
    for (const other of [
      ".*",
      `${before}.*`,
      `${before}[^a].*`,
      `${before}(a)?${after}`,
      `${before}acme${after}?`,
      `${before}acme${after}*.*`,
      `${before}acme.*`,
      `(${before}acme${after})?.*`,
      `${before}acme${after}|.*`,
      `(?:${before}acme${after})\\Q\\E?.*`,
      `${before}acme${after}(?i).*`,
      `${before}acme${after}\\Q`,
    ])
      expect(isOwned(other), other).toBe(false);
  });
});
