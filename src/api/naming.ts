import * as z from "zod";
import { matches, matchesNot, withRules } from "./rule.ts";
import { oneLine } from "./text.ts";

/** The fields `name` and `description` of a kind that has them, with the platform's bounds. `noun` is as in "the group". */
export function nameAndDescription(noun: string) {
  return {
    name: withRules(
      z.string().max(512),
      matches(
        /^[a-z0-9 ._-]+$/,
        "a name must be lowercase letters, digits, spaces and the characters . _ -, at least one of them",
      ),
    )
      .exactOptional()
      .describe(
        `Name of the ${noun} on the platform: lowercase letters, digits, spaces and the characters . _ -, such as "payments.prod". Defaults to metadata.name.`,
      ),
    description: withRules(
      z.string().max(2048),
      {
        rule: "size(self) <= 477",
        message:
          "must be at most 477 characters: the platform allows 512, and 35 are reserved for the marker by which Muster finds its own resources",
        holds: (text) => Array.from(text).length <= 477,
      },
      oneLine,
      matchesNot(
        /\[muster(-owner)?:/,
        "must not contain '[muster:' or '[muster-owner:', which are reserved for what Muster records in descriptions",
      ),
    )
      .exactOptional()
      .describe(
        `Description of the ${noun} on the platform: one line of at most 477 characters. If absent, the description on the platform is left unchanged; "" clears it.`,
      ),
  };
}

/**
 * The name on the platform: `spec.name` if it is set, otherwise `metadata.name`. A column shows the first result of its
 * path. The path starts with `..` because a column's path must start with a dot and `.[…]` selects nothing; the recursive
 * descent returns the results at the root first.
 */
export const nameColumn = {
  name: "Platform name",
  jsonPath: "..['spec.name', 'metadata.name']",
  description: "Name on the platform.",
} as const;
