import { RE2JS } from "re2js";
import { fits, patternRule } from "../contract/text-rule.ts";
import { tokenLimits } from "../limits/token-limits.ts";
import { expandedSize } from "./pattern-size.ts";

/** A compiled pattern. */
export interface Pattern {
  readonly kind: "pattern";
  /** The size of the program. Matching a text takes time proportional to it, for each character. */
  readonly instructions: number;
  /** An estimate of the memory that the pattern needs. */
  readonly bytes: number;
  /** Whether the pattern matches the whole text. */
  readonly matches: (text: string) => boolean;
}

/** A pattern that cannot be used: `invalid` is not RE2, `tooLarge` exceeds the limit of instructions. */
export interface RejectedPattern {
  readonly kind: "invalid" | "tooLarge";
}

/**
 * How far the estimate may exceed the limit of the compiled program: the compiler merges, for example, alternatives that
 * begin alike.
 */
const estimateFactor = 3;

/**
 * Compiles an RE2 pattern. RE2, because backtracking would let any caller block the process. Its time is linear in the
 * length of a text, but also in the size of the program, which a short pattern with repetitions can make very large: the
 * size is estimated before the pattern is compiled, and then measured.
 */
export function compilePattern(
  pattern: string,
  maximumInstructions: number = tokenLimits.patternProgram.value,
): Pattern | RejectedPattern {
  if (!fits(patternRule, pattern)) return { kind: "invalid" };
  const expanded = expandedSize(pattern);
  if (expanded > estimateFactor * maximumInstructions) return { kind: "tooLarge" };
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch {
    return { kind: "invalid" };
  }
  const instructions = compiled.programSize();
  if (instructions > maximumInstructions) return { kind: "tooLarge" };
  return {
    kind: "pattern",
    instructions,
    // Measured: 50 to 280 bytes for an instruction, 5 KB for a Unicode class.
    bytes: 1_024 + 300 * instructions + 120 * expanded,
    // A matcher simulates the program in little memory. `compiled.matches` would build an automaton of up to 8 MiB, and
    // is ten times slower for a text that it sees for the first time.
    matches: (text) => compiled.matcher(text).matches(),
  };
}
