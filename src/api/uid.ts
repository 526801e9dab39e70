import * as z from "zod";
import { type Rule, matches, withRules } from "./rule.ts";

/** A root and 64 levels below it. The API server requires a bound. */
const maxLength = 40 + 17 * 64;

/** The uid of a resource on the platform at any depth, such as a group or a role. */
export function uid(description: string) {
  return withRules(
    z.string().max(maxLength),
    matches(
      /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/,
      "must be a uid of the platform: 40 hex digits (0-9, a-f), followed by '/' and 16 hex digits for each level below the root",
    ),
  ).describe(description);
}

/** The uid of a resource in a group: it has at least one `/`. */
export function uidInGroup(description: string) {
  return withRules(
    z.string().max(maxLength),
    matches(
      /^[0-9a-f]{40}(\/[0-9a-f]{16})+$/,
      "must be the uid of a resource in a group: 40 hex digits (0-9, a-f), followed by '/' and 16 hex digits for each level below the root, at least one",
    ),
  ).describe(description);
}

/** The existing resource that `spec.uid` names is directly in the group whose uid is in `field`. */
export function directlyBelow<Field extends string>(field: Field) {
  return {
    rule: `!has(self.uid) || !has(self.${field}) || (self.uid.startsWith(self.${field} + '/') && size(self.uid) == size(self.${field}) + 17)`,
    message: `uid must be directly below ${field}: the value of ${field}, followed by '/' and 16 hex digits`,
    fieldPath: ".uid",
    holds: (spec) => {
      const parent = spec[field];
      if (spec.uid === undefined || parent === undefined) return true;
      return spec.uid.startsWith(`${parent}/`) && spec.uid.length === parent.length + 17;
    },
  } satisfies Rule<{ uid?: string } & { [F in Field]?: string }>;
}
