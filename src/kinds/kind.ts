import type { Reference } from "#src/api/reference.ts";
import type { KindName, Resource } from "#src/api/resource.ts";
import type { CollectionName, ExternalResource } from "#src/platform-client/external-resource.ts";

/** The fields of a platform resource that a custom resource sets, by their names in the contract. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a reference points to: a custom resource in the cluster, a built-in role by name, or a uid as it stands. */
export type Target =
  | { readonly by: "resource"; readonly kind: KindName; readonly reference: Reference }
  | { readonly by: "roleName"; readonly name: string }
  | { readonly by: "uid"; readonly uid: string };

/** What a reference is for. Every kind has a `parent`, the group that holds the thing. */
export type ReferenceRole = "parent" | "identity" | "role";

export interface ReferenceField {
  readonly role: ReferenceRole;
  /** Where it stands, for messages: `spec.parentRef`. */
  readonly path: string;
  readonly target: Target;
}

/** The uids that the references resolved to. */
export type ResolvedUids = Readonly<Partial<Record<ReferenceRole, string>>>;

export interface DesiredContext {
  /** The issuer of the cluster's service-account tokens. */
  readonly serviceAccountIssuer: string;
}

/**
 * What differs between kinds: the description that the one reconciliation works from. A kind holds no state and does
 * no I/O.
 */
export interface Kind<R extends Resource = Resource, ExternalRow extends ExternalResource = ExternalResource> {
  readonly name: KindName;
  readonly collection: CollectionName;
  /** What people call the thing: `group`, `role binding`. */
  readonly noun: string;
  /** Whether the thing has a description, at whose end the marker stands. What has none is known by its fields alone. */
  readonly marked: boolean;
  references(resource: R): readonly ReferenceField[];
  /** The fields to manage: those that the user set, and those without which the thing is not the thing. */
  desired(resource: R, uids: ResolvedUids, context: DesiredContext): Fields;
  /** The same fields as the platform has them, in the form of `desired`, so that the two compare; what the user left to the platform is left out. */
  actual(row: ExternalRow, desired: Fields): Fields;
  /** What a row is called, for messages and for adoption by name; a binding has no name. */
  nameOf(row: ExternalRow): string | undefined;
  /** Where a field of the platform's errors stands in the custom resource: `spec.name`. */
  specPath(field: string): string;
}
