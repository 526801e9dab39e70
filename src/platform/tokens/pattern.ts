import { RE2JS } from "re2js";
import { fits, patternRule } from "../contract/text-rule.ts";

/** Whether a text as a whole is what a pattern says, in time linear in the text. */
export type Pattern = (text: string) => boolean;

/** A pattern in RE2's language; `undefined` where it is none. An identity's author is not trusted with backtracking. */
export function compilePattern(pattern: string): Pattern | undefined {
  if (!fits(patternRule, pattern)) return undefined;
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matches(text);
  } catch {
    return undefined;
  }
}
