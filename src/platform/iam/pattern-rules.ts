import { checkPresent } from "../contract/check-text.ts";
import { patternRule } from "../contract/text-rule.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { Limit } from "../limits/limit.ts";
import { tokenLimits } from "../limits/token-limits.ts";
import { compilePattern } from "../tokens/pattern.ts";

/** A pattern of an identity, with the path of its field. */
export interface NamedPattern {
  readonly field: string;
  readonly pattern: string;
  /** A lower limit of the compiled pattern than that of all patterns. */
  readonly instructions?: Limit;
}

/**
 * Checks all patterns of an identity. They are limited together, because one token is matched with all of them. Checking
 * them takes a bounded time, which a pattern with large repetitions cannot exceed.
 * @throws ApiError (3) that names the field of the first pattern that is invalid, or exceeds a limit
 */
export function checkPatterns(patterns: readonly NamedPattern[]): void {
  const { patterns: number, patternText, patternProgram } = tokenLimits;
  let length = 0;
  let remaining: number = patternProgram.value;
  for (const [index, { field, pattern, instructions = patternProgram }] of patterns.entries()) {
    if (index >= number.value) throw invalidArgument(field, `an identity has at most ${number.value} patterns`);
    checkPresent(field, pattern, patternRule);
    length += pattern.length;
    if (length > patternText.value)
      throw invalidArgument(field, `all patterns of an identity have at most ${patternText.value} characters`);
    const compiled = compilePattern(pattern, Math.min(remaining, instructions.value));
    if (compiled.kind !== "pattern")
      throw invalidArgument(
        field,
        compiled.kind === "invalid" ? "must be an RE2 regular expression" : tooLarge(instructions),
      );
    remaining -= compiled.instructions;
  }
}

function tooLarge(limit: Limit): string {
  const which = limit === tokenLimits.patternProgram ? "all patterns of an identity compile" : "it compiles";
  return `is too large: ${which} to at most ${limit.value} instructions, which are the characters, classes and operators times their repetitions; use smaller repetitions, or * for {0,1000}`;
}
