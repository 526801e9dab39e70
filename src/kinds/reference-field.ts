import type { Reference } from "#src/api/reference.ts";

/** The target of a reference: a custom resource in the cluster, a built-in role by name, or a literal uid. */
export type Target =
  | { readonly by: "resource"; readonly kind: string; readonly reference: Reference }
  | { readonly by: "roleName"; readonly name: string }
  | { readonly by: "uid"; readonly uid: string };

/**
 * The purpose of a reference. Every kind has a `parent`, the group that contains the resource. Only an object that
 * observes a root group has none.
 */
export type ReferencePurpose = "parent" | "identity" | "role";

/** A reference in a spec. */
export interface ReferenceField {
  readonly purpose: ReferencePurpose;
  /** Path of the field, for messages, such as `spec.parentRef`. */
  readonly path: string;
  readonly target: Target;
  /** Whether the field may be changed. Most references are immutable. */
  readonly isMutable?: true;
}

/** The uids to which the references of a spec were resolved. */
export type ResolvedUids = Readonly<Partial<Record<ReferencePurpose, string>>>;
