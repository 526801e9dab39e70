import * as z from "zod";
import { matches, withRules } from "./rule.ts";

export const objectName = withRules(
  z.string().max(253),
  matches(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    "not a name of a Kubernetes object: use lowercase letters, digits, '-' and '.', beginning and ending with a letter or digit",
  ),
);

const namespaceName = withRules(
  z.string().max(63),
  matches(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    "not a name of a namespace: use lowercase letters, digits and '-', beginning and ending with a letter or digit",
  ),
);

/** A reference to an object of Muster in the same or another namespace. */
export function reference(kind: string, description: string) {
  return z
    .object({
      name: objectName.describe(`The metadata.name of the ${kind}.`),
      namespace: namespaceName
        .exactOptional()
        .describe(`The namespace of the ${kind}. Default: the namespace of this object.`),
    })
    .describe(description);
}

export type Reference = z.output<ReturnType<typeof reference>>;
