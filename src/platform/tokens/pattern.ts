import { RE2JS } from "re2js";
import { fits, patternRule } from "../contract/text-rule.ts";

/** Whether a pattern matches a whole text. Takes time linear in the length of the text. */
export type Pattern = (text: string) => boolean;

/** Compiles an RE2 pattern; `undefined` if it is invalid. RE2, because backtracking would let any caller block the process. */
export function compilePattern(pattern: string): Pattern | undefined {
  if (!fits(patternRule, pattern)) return undefined;
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matches(text);
  } catch {
    return undefined;
  }
}
