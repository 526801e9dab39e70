import * as z from "zod";
import { matches, withRules } from "./rule.ts";

/** The name of a capability as the platform's API has it. Which capabilities there are is for the platform to say. */
const capability = withRules(
  z.string().max(128),
  matches(
    /^CAP_[A-Z0-9]+(_[A-Z0-9]+)*$/,
    "must be the name of a capability in the platform's API, such as CAP_REPO_LIST; a wildcard is not one",
  ),
);

/** A list of capabilities, at least one. */
export function capabilities(description: string) {
  return z
    .array(capability.describe("Name of a capability, such as CAP_REPO_LIST."))
    .min(1)
    .max(256)
    .meta({ "x-kubernetes-list-type": "set" })
    .describe(description);
}
