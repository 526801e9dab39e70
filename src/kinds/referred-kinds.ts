import type { ReferencePurpose } from "./reference-field.ts";

/** The kinds of the objects that references of each purpose can name. */
export const referredKinds: Readonly<Record<ReferencePurpose, string>> = {
  parent: "Group",
  identity: "Identity",
  role: "Role",
};
