import * as z from "zod";
import { objectName } from "./reference.ts";
import { matches, withRules } from "./rule.ts";

/** A reference to one value of a Secret in the namespace of the object. */
export function secretReference(defaultKey: string, description: string) {
  return z
    .object({
      name: objectName.describe("Name of the Secret. It must be in the namespace of this object."),
      key: withRules(
        z.string().max(253),
        matches(/^[-._a-zA-Z0-9]+$/, "a key of a Secret must be letters, digits and the characters - _ ."),
      )
        .default(defaultKey)
        .describe(`Key of the value in the Secret. Defaults to ${defaultKey}.`),
    })
    .describe(description);
}

export type SecretReference = z.output<ReturnType<typeof secretReference>>;
