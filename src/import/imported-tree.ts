import type { Fields } from "#src/kinds/fields.ts";
import type { SecretLocation } from "#src/kinds/secret-location.ts";
import type { apiVersion } from "#src/api/custom-resource.ts";

/** Manifests for what exists. Plain data. */
export interface ImportedTree {
  readonly namespace: string;
  /** The Tenant that permits the objects, and no more than they need. */
  readonly tenant: ImportedObject;
  readonly folder: GroupFolder;
  /** What is not declared, or not as it was asked for. By type and uid. */
  readonly exceptions: readonly ImportException[];
  /** The Secrets that people have to make, by the uids of the resources whose objects name them. */
  readonly secrets: ReadonlyMap<string, NeededSecret>;
}

/** A Secret with a value that the platform never returns. */
export interface NeededSecret extends SecretLocation {
  /** What its annotation must say: the value is sent only to the provider with this issuer. */
  readonly issuer: string;
}

/** What a group contains directly, and the folders of the groups below it. */
export interface GroupFolder {
  /** Unique among all folders. */
  readonly name: string;
  readonly objects: readonly ImportedObject[];
  readonly folders: readonly GroupFolder[];
}

/** A manifest of a custom resource, without what the API server fills in. */
export interface ImportedObject {
  readonly apiVersion: typeof apiVersion;
  readonly kind: string;
  /** Without a namespace: that of the import; absent for a Tenant. */
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Fields;
}

/**
 * - `left out`: no object declares the resource.
 * - `in part`: its object leaves out what cannot be declared.
 * - `observed`: its object does not adopt it, although that was asked for.
 */
export type ImportOutcome = "left out" | "in part" | "observed";

export interface ImportException {
  /** The type of the resource, such as `role binding`. */
  readonly noun: string;
  readonly uid: string;
  readonly name?: string;
  readonly outcome: ImportOutcome;
  readonly reason: string;
}
