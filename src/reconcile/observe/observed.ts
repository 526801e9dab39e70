import type { Resource } from "#src/api/custom-resource.ts";
import type { Fields } from "#src/kinds/fields.ts";
import type { Endpoints } from "#src/kinds/kind.ts";
import type { ResolvedUids } from "#src/kinds/reference-field.ts";
import type { ExternalState as ExternalStateOf } from "#src/platform-client/collection-view.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformError, PlatformProblem } from "#src/platform-client/failure.ts";
import type { ObservedUndeclared } from "./observed-undeclared.ts";
import type { ReconcileRequest, ReconcileState } from "./reconcile-state.ts";
import type { SecretRead } from "./secret-read.ts";

// What the parts of an observation are, and what they consist of: the policy imports types from here only.
export type { ExternalResource, MonotonicTime, PlatformError, PlatformProblem };
export type { ObservedUndeclared, Removal, SparingReason } from "./observed-undeclared.ts";
export type {
  Failure,
  KubeStepName,
  PlatformStepName,
  ReconcileRequest,
  ReconcileState,
  Recorded,
  Refusal,
} from "./reconcile-state.ts";
export type { SecretRead, SecretVersion } from "./secret-read.ts";

/**
 * Everything that a decision about one custom resource is made from.
 *
 * Guarantees: plain data. An `Observed` can be written to a file as JSON and replayed: `decide` returns the same step
 * for the copy. It therefore holds no function, no instance of a class, no infinite number, and no property that may be
 * undefined: where there is no value, the property is null. (Optional properties are absent.) The description of
 * the kind is not part of it, because it has functions: `decide` takes it as another argument.
 *
 * It consists of parts. A function of the policy that reads one or two of them says so in its type.
 */
export interface Observed
  extends ObservedObject,
    ObservedTenancy,
    ObservedExternal,
    Knowledge,
    ObservedAccess,
    ObservedSecret,
    ObservedRemovals,
    ObservedEnding,
    ObservedSession,
    ObservedSettings,
    ObservedMemory {}

/** The object itself. */
export interface ObservedObject {
  readonly resource: Resource;
  /** Why the object does not match the schema of its kind; null if it does. */
  readonly invalid: string | null;
  /** The markers of this object: first that of the current owner id, then those of the previous owner ids. */
  readonly markers: readonly [string, ...string[]];
  /** The value of the annotation that requests a reconcile, until `status.lastHandledReconcileAt` repeats it. */
  readonly request: ReconcileRequest | null;
}

/** What its Tenant permits, and what its references mean. */
export interface ObservedTenancy {
  /** Who governs the object, and what it may do. */
  readonly tenant: ObservedTenant;
  readonly references: References;
}

/** What the platform has that is the object's, or may be, and who else has it or wants it. */
export interface ObservedExternal {
  /**
   * The external resource that the object names by uid; of a kind that issues codes also what this process created, or what
   * the Secret with the code names. Null if there is none.
   */
  readonly claim: Claim | null;
  /**
   * The external resources with this object's marker below its parent (anywhere, if the references are not resolved), or
   * with its natural key: that of the spec, of the status, or of its last POST. Of a kind that issues codes, if
   * one may have been lost: what equals the spec in the group. None of them is recorded by another object.
   */
  readonly matches: readonly ExternalResource[];
  /**
   * If the object ends, the uids of those of the matches, and of the claim, that another object wants, may have, and has not
   * recorded yet, whatever its age. Unless this object records them, they are the other one's.
   */
  readonly wantedByOthers: readonly string[];
  /** The external resources with the desired name below the same parent, except the matches and the claimed one. */
  readonly nameConflicts: readonly NameConflict[];
  /** The objects that want each other's names in a circle with this object, as `namespace/name`: see `nameCircleOf`. */
  readonly nameCircle: readonly string[];
  /** Another object that wants the same name below the same parent, or an equal role binding, and comes first: `namespace/name`. */
  readonly rival: string | null;
  /** What an earlier process may have created for the object; null unless that matters: see `Unrecorded`. */
  readonly unrecorded: Unrecorded | null;
  /**
   * The first resources that are known to be directly in the group, each with its noun, its name and its uid. Only filled
   * after the platform refused to delete the group because of the state of a resource.
   */
  readonly children: readonly string[];
}

/** Since when it is known what the platform has, and what may still come to be: what a proof of absence consists of. */
export interface Knowledge {
  /** The latest complete list that included all children of the parent. */
  readonly snapshot: Snapshot | null;
  /**
   * For each group that the session lists, the latest complete list of everything below it. The session is extended to the
   * groups of a parent of another Tenant before it is called.
   */
  readonly rootSnapshots: readonly ScopeSnapshot[];
  /** When this process created the parent, if that was within the last minute. Earlier processes created nothing in it. */
  readonly parentCreatedAt: MonotonicTime | null;
  /**
   * When the last POST with this natural key was sent whose outcome is unknown, or the last other write that could take effect on
   * what is created now: see `overwriteKey`.
   */
  readonly postUnknownSince: MonotonicTime | null;
  /**
   * When this process last created a resource with the object's marker or natural key that the Tenant's session has not
   * seen: through the session of another Tenant, for this object before it moved, or for another one that wants an equal
   * role binding. Only a list that started later shows it. Null if there is none.
   */
  readonly createdElsewhereAt: MonotonicTime | null;
  /** The uids of those of the matches that a POST of this process with a lost response created. */
  readonly createdHere: readonly string[];
  /** When the read of each match and of each name conflict had started. Absent: of what a failed write may have changed. */
  readonly readTimes: readonly ReadTime[];
  /**
   * When the latest list had started that would have shown a resource with the desired name below the parent. Null if there was
   * none, and of kinds without names.
   */
  readonly nameListedAt: MonotonicTime | null;
  /** From this time on, no request of a previous leader can still take effect. */
  readonly settledAt: MonotonicTime;
  /** How long after it was sent a request may still take effect, in milliseconds. */
  readonly settleMs: number;
}

/** Who else is concerned if something becomes of a resource: whose it is, who has it bound, who logs in through it. */
export interface ObservedAccess {
  /** Those of the resources in this observation that Muster never writes, and why. */
  readonly protections: readonly Protection[];
  /** The identities to which a role is bound here, or would be, that no list or read has shown and no object manages. */
  readonly unknownIdentities: readonly string[];
  /** The role of an object that this one grants, or would, and that was not read a moment ago; null if there is none. */
  readonly roleToRead: string | null;
  /** The role bindings of those of the identities and roles in this observation that could be adopted, as far as they were read. */
  readonly grants: readonly Grants[];
  /** The identities that the resource lets in; null for other kinds, and unless the object is being deleted. */
  readonly people: People | null;
}

/** The Secret that the spec names. */
export interface ObservedSecret {
  /** What the last read of the Secret that the spec names showed; null if it was not read, or if the spec names none. */
  readonly secret: SecretRead | null;
}

/** What nobody declared in a group. */
export interface ObservedRemovals {
  /** What lies directly in the group and is not declared; null for other kinds, and until the group was assessed. */
  readonly undeclared: ObservedUndeclared | null;
}

/** What the end of the object waits for. */
export interface ObservedEnding {
  /**
   * The objects that refer to this one and have an external resource, or may come to have one. Only filled while this
   * object is being deleted.
   */
  readonly dependents: readonly Dependent[];
  /**
   * The kinds whose objects may refer to this one, but which Kubernetes has not let the operator read yet: whether there are
   * more dependents is unknown. Only filled while this object is being deleted.
   */
  readonly unreadDependents: readonly string[];
  /** Whether the namespace of the object is being deleted: nobody can grant anything there any longer. */
  readonly namespaceIsTerminating: boolean;
  /** When the deletion of any custom resource was last observed. */
  readonly lastDeletionAt: MonotonicTime | null;
  /** The last live read of the object's CustomResourceDefinition. */
  readonly crd: CrdRead | null;
}

/** The session through which the platform is called. */
export interface ObservedSession {
  /** Increases with every token exchange. */
  readonly credentialEpoch: number;
  /** Increases each time that an outage of the platform or the credential ends. */
  readonly recoveries: number;
}

/** Settings of the operator. */
export interface ObservedSettings {
  /** What a client needs to know of the platform to exchange a token. */
  readonly endpoints: Endpoints;
  /** Issuers at which anybody can have an account, in addition to the built-in list. */
  readonly publicIssuers: readonly string[];
}

/** What this process remembers of the object, and the time. */
export interface ObservedMemory {
  readonly state: ReconcileState;
  readonly now: MonotonicTime;
  /** The wall clock in milliseconds since the epoch, for times that people read. */
  readonly wallClock: number;
}

/** Who governs an object. */
export type ObservedTenant =
  | {
      readonly is: "known";
      readonly name: string;
      /** `deletions`: the Tenant is being deleted, or no longer selects the namespace. */
      readonly serves: "everything" | "deletions";
      /** The uids of groups. Only resources below them are written. */
      readonly groups: readonly string[];
      /** Whether the object refers to a parent of another Tenant, which may have revoked the grant to use it. */
      readonly parentIsForeign: boolean;
      /** Whether existing resources of this kind may be adopted. */
      readonly mayAdopt: boolean;
      /** Whether a resource may be left behind on the platform. */
      readonly mayOrphan: boolean;
    }
  | { readonly is: "none" }
  | { readonly is: "several"; readonly names: readonly string[] };

/** What the references in a spec resolve to. */
export type References =
  | {
      readonly are: "resolved";
      readonly uids: ResolvedUids;
      /** Those of the uids that an object of another Tenant permits, whether or not they are in the Tenant's groups. */
      readonly granted: readonly string[];
      readonly desired: Fields;
      /** What identifies the external resource whatever its uid: its marker, or the fields of a role binding. */
      readonly naturalKey: string;
    }
  | {
      readonly are: "waiting";
      readonly reason: "ReferenceNotFound" | "ReferenceNotReady" | "ReferenceNotGranted";
      readonly message: string;
      /** Whether the object that is referred to is being deleted. */
      readonly deleting?: boolean;
    }
  /** Kubernetes has not let the operator read the kind that the field at `path` refers to: unknown, not absent. */
  | { readonly are: "unreadKind"; readonly kind: string; readonly path: string }
  /** The roles of the platform have not been read yet. */
  | { readonly are: "unread" }
  /** The references can never be resolved: they form a cycle. */
  | { readonly are: "invalid"; readonly message: string }
  | { readonly are: "denied"; readonly message: string };

/**
 * What an earlier process may have created for an object with a finalizer that records no uid, while no Tenant permits what
 * it refers to. (If one does, `matches` has what was created.)
 */
export type Unrecorded =
  /** The object refers to something that does not exist on the platform, and without which nothing was created. */
  | { readonly is: "impossible" }
  /**
   * What a reference means is not known: Kubernetes has not let the operator read the kind, or the status of the object that it
   * names may be lost. Then a list of `unlisted` shows whether a resource below `group` carries the marker of that object.
   */
  | { readonly is: "unknown"; readonly unlisted?: { readonly kind: string; readonly group: string } }
  | {
      readonly is: "identified";
      /** The group in which it would be. */
      readonly group: string;
      /** What the references mean, as far as the roles were read. */
      readonly uids: ResolvedUids;
      /** Whether the group is below a root of any session. */
      readonly isListable: boolean;
      /** The latest complete list that included the group, of any session. */
      readonly snapshot: Snapshot | null;
      /** The uids of the resources in that list that carry the object's marker, or equal it, and that no other object records. */
      readonly found: readonly string[];
      /** Likewise, of those that stay whoever created them: they belong to an identity of another owner, or for emergencies. */
      readonly kept: readonly string[];
    };

/** A uid that an object claims, and what is known of it. */
export interface Claim {
  /** `spec.uid`, else `status.uid`, else the uid of what was created with a code. While the object is being deleted: not `spec.uid`. */
  readonly uid: string;
  readonly external: ExternalState;
  /** Another object to which the uid belongs, as `namespace/name`. */
  readonly claimedBy: string | null;
  /** Whether the breaker pauses the re-creation of this resource, because many were missing at once. */
  readonly heldByBreaker: boolean;
}

export type ExternalState = ExternalStateOf<ExternalResource>;

/** A complete list of a scope: every page of it was read. */
export interface Snapshot {
  readonly startedAt: MonotonicTime;
  /** Whether the total count was the same on every page, so that nothing came or went while the list was read. */
  readonly stable: boolean;
}

export interface ScopeSnapshot {
  readonly group: string;
  readonly snapshot: Snapshot | null;
}

/** When the read of the resource with this uid had started. */
export interface ReadTime {
  readonly uid: string;
  readonly at: MonotonicTime;
}

export interface NameConflict {
  readonly external: ExternalResource;
  /** Another object to which it belongs, as `namespace/name`. */
  readonly claimedBy: string | null;
}

/** A resource that Muster never writes. */
export interface Protection {
  readonly uid: string;
  readonly because: /** It is a root group, or a group that a Tenant or the operator's settings name. */
    | "root"
    /** It is an identity that the operator or a Tenant uses as its credential, or a role binding of it. */
    | "credential"
    /** It is an identity for emergencies (`breakGlass`), or a role binding of it. */
    | "breakGlass"
    /** It is a role binding of an identity that carries the marker of another owner. */
    | "otherOwner";
}

/** What was read of the role bindings `of` an identity or a role, by its uid. */
export interface Grants {
  readonly of: string;
  readonly readAt: MonotonicTime;
  /** The uids of its role bindings, in any group that can be seen, for which the Tenant may not adopt it. */
  readonly denied: readonly string[];
  /** Those of the denied role bindings that RoleBinding objects declare as they are, where the Tenants of these permit that. */
  readonly declared: readonly string[];
  /** The roles that it holds, except built-in ones, and that the Tenant may not bind as they are. */
  readonly deniedRoles: readonly string[];
  /** A role of an object that it holds, and that has to be read first, to know what it allows now; null if there is none. */
  readonly roleToRead: string | null;
  /** The capabilities that the spec of a role has, and that no role but this one permits: once an object manages it, it permits nothing. */
  readonly excess: readonly string[];
  /** An identity of these bindings that has to be read first, to know who uses it; null if there is none. */
  readonly unknownIdentity: string | null;
}

/** The identities in the group of a resource for which the resource vouches. */
export interface People {
  readonly group: string;
  /** The latest complete list of the identities in the group. */
  readonly snapshot: Snapshot | null;
  /** The uids of those that are known. */
  readonly uids: readonly string[];
}

export interface Dependent {
  readonly kind: string;
  /** `namespace/name`: not everybody who sees this object may see another namespace. */
  readonly key: string;
  /**
   * What it may have on the platform. `recorded`: the resource that its status records. `unsettled`: what a POST creates whose outcome
   * is unknown. `unrecorded`: what an earlier process may have created for it, and what is found, or may be found with a list of
   * `group`, by what its references mean.
   */
  readonly has: "recorded" | "unsettled" | "unrecorded";
  /** The group whose resources have not been listed since no earlier process can create anything; absent: they have. */
  readonly unlisted?: string;
  /** Whether the dependent is being deleted too, so that the wait for it ends without anybody's action. */
  readonly deleting: boolean;
}

export interface CrdRead {
  readonly readAt: MonotonicTime;
  readonly deleting: boolean;
}
