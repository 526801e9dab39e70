import * as z from "zod";
import { matches, withRules } from "./rule.ts";

/** The name of a built-in role. */
export const roleName = withRules(
  z.string().max(512),
  matches(
    /^[a-z0-9 ._-]+$/,
    "the name of a role must be lowercase letters, digits, spaces and the characters . _ -, at least one of them",
  ),
);

/** A reference to a built-in role by its name. */
export function builtInRole(description: string) {
  return z
    .object({ name: roleName.describe("Name of a built-in role, such as viewer, editor or registry.pull.") })
    .describe(description);
}
