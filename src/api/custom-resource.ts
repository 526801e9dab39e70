import type { ObjectMeta } from "./metadata.ts";
import type { Status } from "./status.ts";

export const apiGroup = "iam.muster.dev";
export const version = "v1beta1";
export const apiVersion = `${apiGroup}/${version}` as const;

/** Stands on an object from before it exists on the platform until it is gone there. */
export const finalizer = `${apiGroup}/external` as const;

/** What all custom resources of Muster have in common, as the API server gives it. */
export interface CustomResource<Spec, Kind extends string = string> {
  apiVersion: typeof apiVersion;
  kind: Kind;
  metadata: ObjectMeta;
  spec: Spec;
  /** The API server fills in `{observedGeneration: -1}` for an object that has none yet. */
  status?: Status;
}
