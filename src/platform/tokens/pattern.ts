import { RE2JS } from "re2js";

/** Whether a text as a whole is what a pattern says, in time linear in the text. */
export type Pattern = (text: string) => boolean;

/** Longer ones are refused: what a pattern costs grows with it. */
const maximumLength = 1_024;

/** A pattern in RE2's language; `undefined` where it is none. An identity's author is not trusted with backtracking. */
export function compilePattern(pattern: string): Pattern | undefined {
  if (pattern.length > maximumLength) return undefined;
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matches(text);
  } catch {
    return undefined;
  }
}
