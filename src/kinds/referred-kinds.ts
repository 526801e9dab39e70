import type { ReferenceRole } from "./reference-field.ts";

/** The kinds of the objects that references of each purpose can name. */
export const referredKinds: Readonly<Record<ReferenceRole, string>> = {
  parent: "Group",
  identity: "Identity",
  role: "Role",
};
