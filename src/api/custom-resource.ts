import type { ObjectMeta } from "./metadata.ts";
import type { Policy } from "./policy.ts";
import type { Status } from "./status.ts";

export const apiGroup = "iam.muster.dev";
export const version = "v1beta1";
export const apiVersion = `${apiGroup}/${version}` as const;

/** Present on an object from before its resource exists on the platform until the resource is deleted there. */
export const finalizer = `${apiGroup}/external` as const;

/** Whether the object cannot go without the operator. */
export function hasFinalizer({
  metadata,
}: {
  readonly metadata: { readonly finalizers?: readonly string[] | undefined };
}): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/** A custom resource of Muster, as read from the API server. */
export interface CustomResource<Spec, Kind extends string = string> {
  apiVersion: typeof apiVersion;
  kind: Kind;
  metadata: ObjectMeta;
  spec: Spec;
  /** The API server fills in `{observedGeneration: -1}` if an object has no status. */
  status?: Status;
}

/** The fields that the specs of all kinds share. */
export interface CommonSpec {
  uid?: string;
  policy: Policy;
  /** Only of kinds whose objects can expire. */
  expiresAt?: string;
  /** Only of kinds that other objects refer to. */
  allowedNamespaces?: readonly string[];
}

/** A custom resource of any kind. */
export type Resource = CustomResource<CommonSpec>;
