import * as z from "zod";
import { matchesNot, withRules } from "./rule.ts";

/** A line break comes with a YAML block (`|`), mostly unmeant; what is compared as text would then match nothing. */
export const oneLine = matchesNot(/[\t\n\v\f\r]/, "must be one line: no tabs and no line breaks");

/** Text that is compared as it is, such as a claim: one line, not empty. */
export const exactText = withRules(z.string().min(1).max(1024), oneLine);

/** A regular expression. Whether it compiles is judged by the API server, whose engine is RE2, as the platform's is. */
export const regularExpression = withRules(exactText, {
  rule: "''.matches(self) in [true, false]",
  message: "not a regular expression in RE2's syntax",
});
