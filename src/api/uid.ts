import * as z from "zod";
import { type Rule, matches, withRules } from "./rule.ts";

/** 64 segments below the root: no tree is this deep, and the API server wants a bound. */
const maximumLength = 40 + 17 * 64;

/** A uid of the platform, of any depth: a group's, or a role's. */
export function uid(description: string) {
  return withRules(
    z.string().max(maximumLength),
    matches(
      /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/,
      "not a uid of the platform: 40 hex digits (0-9, a-f), then '/' and 16 hex digits for each level below",
    ),
  ).describe(description);
}

/** A uid of something that lives in a group: it has at least one `/`. */
export function uidInGroup(description: string) {
  return withRules(
    z.string().max(maximumLength),
    matches(
      /^[0-9a-f]{40}(\/[0-9a-f]{16})+$/,
      "not a uid of something in a group: 40 hex digits (0-9, a-f), then '/' and 16 hex digits for each level below",
    ),
  ).describe(description);
}

/** The existing object that is named by `spec.uid` lives directly in the group that `field` names by its uid. */
export function directlyBelow<Field extends string>(field: Field) {
  return {
    rule: `!has(self.uid) || !has(self.${field}) || (self.uid.startsWith(self.${field} + '/') && size(self.uid) == size(self.${field}) + 17)`,
    message: `uid must be directly below ${field}: the same text, then '/' and 16 hex digits`,
    fieldPath: ".uid",
    holds: (spec) => {
      const parent = spec[field];
      if (spec.uid === undefined || parent === undefined) return true;
      return spec.uid.startsWith(`${parent}/`) && spec.uid.length === parent.length + 17;
    },
  } satisfies Rule<{ uid?: string } & { [F in Field]?: string }>;
}
