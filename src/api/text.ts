import * as z from "zod";
import { matchesNot, withRules } from "./rule.ts";

/** A YAML block (`|`) ends with a line break, usually by accident. A text that is compared exactly would then never match. */
export const oneLine = matchesNot(
  /[\t\n\v\f\r]/,
  "must be one line without tabs; in YAML, use quotes instead of | or >",
);

/** A text that is compared exactly, such as a claim: one line, not empty. */
export const exactText = withRules(z.string().min(1).max(1024), oneLine);

/** A regular expression. Only the API server checks that it compiles: its engine is RE2, and so is the platform's. */
export const regularExpression = withRules(exactText, {
  rule: "''.matches(self) in [true, false]",
  message: "must be a regular expression in RE2 syntax, which has no lookaround and no backreferences",
});
