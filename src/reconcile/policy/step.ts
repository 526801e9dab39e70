import type { Drift, Status, StatusError } from "#src/api/status.ts";
import type { Fields } from "#src/kinds/kind.ts";
import type { MonotonicTime } from "#src/platform-client/collection-view.ts";

/** Something to tell people about in an event, once the step has succeeded. */
export interface Event {
  readonly type: "Normal" | "Warning";
  readonly reason: EventReason;
  readonly note: string;
}

export type EventReason =
  | "Created"
  | "Updated"
  | "Deleted"
  | "Adopted"
  | "Recovered"
  | "DriftDetected"
  | "DriftCorrected"
  | "Orphaned"
  | "TenantDenied";

/** What a status write changes, as a merge patch: null removes a field. */
export type StatusPatch = { readonly [K in keyof Omit<Status, "error">]?: Status[K] | null } & {
  readonly error?: StatusErrorPatch | null;
};
export type StatusErrorPatch = { readonly [K in keyof StatusError]: StatusError[K] | null } & Pick<StatusError, "code">;

/** The steps that call the platform; a failed one is tried again only when its wait is over. */
export type PlatformStep =
  /** Read the operator's own rights and the roles. */
  | { readonly do: "refreshPermissions" }
  /** List the children of `parent`, by a list begun at or after `startedAfter`. */
  | { readonly do: "list"; readonly parent: string; readonly startedAfter: MonotonicTime; readonly stable: boolean }
  /** Read one thing, or prove that it is gone. */
  | { readonly do: "read"; readonly uid: string }
  | { readonly do: "create"; readonly parent: string; readonly body: Fields; readonly event: Event }
  | {
      readonly do: "update";
      readonly uid: string;
      readonly body: Fields;
      readonly mask: readonly string[];
      /** What the update is for, in people's terms. */
      readonly drift: readonly Drift[];
      /** Whether this undoes what another hand did, which is counted to notice a fight. */
      readonly correction: boolean;
      readonly event?: Event;
    }
  | { readonly do: "delete"; readonly uid: string; readonly event: Event };

/**
 * The one next step of a reconcile: at most one write to one system. Its result is observed before the next is decided,
 * so every place where a process can die lies between two steps.
 */
export type Step =
  | PlatformStep
  | { readonly do: "addFinalizer" }
  | { readonly do: "removeFinalizer"; readonly event?: Event }
  /** Read the CustomResourceDefinition, to tell an object's deletion from the uninstalling of its kind. */
  | { readonly do: "readCrd" }
  | { readonly do: "writeStatus"; readonly patch: StatusPatch; readonly event?: Event }
  /** Nothing can be done before `until`, unless something that was observed changes. */
  | { readonly do: "wait"; readonly until: MonotonicTime }
  | { readonly do: "done" };
