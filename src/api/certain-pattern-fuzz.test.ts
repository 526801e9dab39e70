import { RE2JS } from "re2js";
import { expect, it } from "vitest";
import { seeded } from "#test/support/seeded.ts";
import { analyzePattern, type PatternAnalysis } from "./certain-pattern.ts";
import { findCounterexample, isCovered } from "./counterexample.testing.ts";
import { randomPattern } from "./random-pattern.testing.ts";

const patterns = Number(process.env["MUSTER_FUZZ_PATTERNS"] ?? 20_000);

/** What an analysis claims of random patterns, and where RE2 says otherwise. @param most how many of these are enough */
function fuzz(analyze: (pattern: string) => PatternAnalysis, count: number, seed: number, most = Infinity) {
  const next = seeded(seed);
  const unsound: string[] = [];
  const result = { valid: 0, certain: 0, texts: 0, guesses: 0, unsound };
  for (let index = 0; index < count && unsound.length < most; ) {
    const { source, text } = randomPattern(next);
    const compiled = compile(source);
    if (compiled === undefined) continue;
    index += 1;
    result.valid += 1;
    const analysis = analyze(source);
    if (analysis.is === "refused" || analysis.beginnings.some((one) => one.text === "" && !one.isWhole)) continue;
    result.certain += 1;
    const { beginnings } = analysis;
    const found = findCounterexample(source, beginnings);
    if (found?.isMatch === false) result.guesses += 1;
    const candidates = found === undefined ? [] : [found.text];
    for (let leaveOut = 0; leaveOut < 4; leaveOut += 1) candidates.push(text(leaveOut), text(leaveOut).toUpperCase());
    for (const candidate of candidates) {
      if (!compiled.matcher(candidate).matches()) continue;
      result.texts += 1;
      if (isCovered(candidate, beginnings)) continue;
      unsound.push(`${source} matches ${candidate}, not only ${beginnings.map((one) => one.text).join(" ")}`);
      break;
    }
  }
  return result;
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

it(`is sound for ${patterns} random patterns of RE2's syntax`, { timeout: 30_000 + patterns }, async ({ annotate }) => {
  const started = performance.now();
  const { valid, certain, texts, guesses, unsound } = fuzz(analyzePattern, patterns, 1);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  await annotate(
    `${valid} patterns, ${certain} with a certain beginning, ${texts} matching texts, ${seconds} s: ${unsound.length} unsound`,
  );
  expect(unsound).toEqual([]);
  // All ways through the programs were decided.
  expect(guesses).toBe(0);
  expect(certain).toBeGreaterThan(patterns / 10);
  expect(texts).toBeGreaterThan(certain);
});

/** Mistakes in reading a pattern, made by rewriting it. */
const mistakes: readonly (readonly [string, RegExp, string])[] = [
  ["an empty quote is what a quantifier after it repeats", /\\Q\\E(?:[*+?]|\{[\d,]+\})?/g, ""],
  ["a flag means nothing", /\(\?[a-z]\)/g, ""],
  ["flags are what a quantifier after them repeats", /\(\?s\)(?:[*+?]|\{[\d,]+\})?/g, ""],
  ["a group that ignores the case is as others", /\(\?i:/g, "(?:"],
  ["no repetitions are one", /\{0\}/g, ""],
  ["a ] at the beginning of a class ends it", /\[\]a\]/g, "[.]a\\]"],
  ["a lazy quantifier is possessive", /[*?]\?/g, "+"],
  ["an alternative ends with its group", /\((?:\?:)?([^()|]*)\|([^()|]*)\)/g, "$1|$2"],
];

it.each(mistakes)("would find the mistake that %s", (_, text, replacement) => {
  const mistaken = (pattern: string) => analyzePattern(pattern.replace(text, replacement));
  expect(fuzz(mistaken, 5_000, 2, 1).unsound).not.toEqual([]);
});
