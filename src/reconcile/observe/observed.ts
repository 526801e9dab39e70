import type { Resource } from "#src/api/resource.ts";
import type { Fields, Kind, ResolvedUids } from "#src/kinds/kind.ts";
import type { ExternalState, MonotonicTime } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/external-resource.ts";
import type { ReconcileState } from "./reconcile-state.ts";

/** What a resource's references come to. */
export type References =
  | {
      readonly are: "resolved";
      readonly uids: ResolvedUids & { readonly parent: string };
      readonly desired: Fields;
      /** What names the thing on the platform, whatever its uid: its marker, or a binding's fields. */
      readonly naturalKey: string;
    }
  | {
      readonly are: "waiting";
      readonly reason: "ReferenceNotFound" | "ReferenceNotReady" | "ReferenceNotGranted";
      readonly message: string;
      /** Whether what is referred to is being deleted. */
      readonly leaving?: boolean;
    }
  /** Roles have not been read yet. */
  | { readonly are: "unread" }
  | { readonly are: "denied"; readonly message: string };

/** A complete list that held all children of a group. */
export interface Snapshot {
  readonly startedAt: MonotonicTime;
  readonly stable: boolean;
}

/** Everything that a decision is made from, gathered without a call to anything. */
export interface Observed {
  readonly kind: Kind;
  readonly resource: Resource;
  /** Why the resource does not fit its schema; undefined where it does. */
  readonly invalid: string | undefined;
  readonly references: References;
  /** The markers that are this resource's: the one of the present owner first, then those of earlier owners. */
  readonly markers: readonly [string, ...string[]];
  /** The uid that the resource stands for by its status or by its spec. */
  readonly uid: string | undefined;
  /** What is known of that uid. */
  readonly external: ExternalState<ExternalResource>;
  /** An unanswered wish of a person for a reconcile, with the moment at which it was first seen. */
  readonly request: { readonly value: string; readonly seenAt: MonotonicTime } | undefined;
  /** Rows that are this resource's by marker or natural key, and that no other resource stands for. */
  readonly matches: readonly ExternalResource[];
  /** Rows below the same parent with the wanted name and without our marker. */
  readonly nameConflicts: readonly NameConflict[];
  /** The last list that held all children of the parent. */
  readonly snapshot: Snapshot | undefined;
  /** Whether this process has just made the parent: then nothing is in it but what this process made there. */
  readonly parentIsFresh: boolean;
  /** For each root, the last list that held all below it. */
  readonly rootSnapshots: readonly { readonly root: string; readonly snapshot: Snapshot | undefined }[];
  /** Since when a POST of this thing has had an unknown outcome. */
  readonly postUnknownSince: MonotonicTime | undefined;
  /** Whether this process may have made something with this natural key. */
  readonly postedHere: boolean;
  /** Whether this process may have made a second one, because an answer to a POST of it was lost. */
  readonly doublePosted: boolean;
  /** Another, elder resource that stands for the same uid: `namespace/name`. */
  readonly competingClaimant: string | undefined;
  /** Uids that are never managed: root groups, the operator's identity and its bindings. */
  readonly isProtected: (uid: string) => boolean;
  /** Whether a uid lies below one of the roots that may be used. */
  readonly isWithinRoots: (uid: string) => boolean;
  /** Resources that refer to this one and still stand: `Identity team/ci`. */
  readonly dependents: readonly Dependent[];
  /** When the deletion of a custom resource, of whatever kind, was last seen to be asked for. */
  readonly lastDeletionAt: MonotonicTime;
  /** The last read of the CustomResourceDefinition. */
  readonly crd: { readonly readAt: MonotonicTime; readonly deleting: boolean } | undefined;
  /** Whether too much of what we manage is missing at once for this to be made anew without being asked. */
  readonly heldByBreaker: boolean;
  readonly state: ReconcileState;
  /** From when on an absence may be believed for what another process may have been making when it lost the lead. */
  readonly settledAt: MonotonicTime;
  /** How long after its sending a request may still land. */
  readonly settleMs: number;
  readonly credentialEpoch: number;
  readonly now: MonotonicTime;
  /** The wall clock, for times that people read. */
  readonly wallClock: Date;
}

export interface Dependent {
  readonly name: string;
  /** Whether it is being deleted itself, so that the wait for it ends without anybody's doing. */
  readonly leaving: boolean;
}

export interface NameConflict {
  readonly row: ExternalResource;
  /** Another resource that stands for it: `namespace/name`. */
  readonly claimedBy: string | undefined;
}
