import * as z from "zod";
import { matches, matchesNot, withRules } from "./rule.ts";
import { oneLine } from "./text.ts";

/** `name` and `description` as the platform takes them, for what has them. */
export function nameAndDescription(kind: string) {
  return {
    name: withRules(
      z.string().max(512),
      matches(/^[a-z0-9 ._-]+$/, "use only lowercase letters, digits, spaces and . _ - in a name, at least one"),
    )
      .exactOptional()
      .describe(`The name of the ${kind} on the platform, such as "payments.prod". Default: metadata.name.`),
    description: withRules(
      z.string().max(2048),
      {
        rule: "size(self) <= 477",
        message:
          "at most 477 characters: the platform takes 512, and 35 hold the mark by which Muster knows its own objects",
        holds: (text) => Array.from(text).length <= 477,
      },
      oneLine,
      matchesNot(/\[muster:/, "may not contain '[muster:': this is how Muster marks its own objects"),
    )
      .exactOptional()
      .describe(
        `One line about the ${kind}, at most 477 characters. Absent: the platform's is left alone. "": it is cleared.`,
      ),
  };
}
