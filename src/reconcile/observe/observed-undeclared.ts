import type { Undeclared } from "#src/api/status.ts";
import type { MonotonicTime } from "#src/time/clock.ts";

/** What lies directly in a group and is not declared by any object of the cluster. */
export type ObservedUndeclared =
  /** The status says nothing: `spec.undeclared` is Ignore, or the group is not known or not within the Tenant. */
  | { readonly is: "unreported" }
  | {
      readonly is: "assessed";
      /** How many resources there are, by their kinds. Only kinds of which there is one. */
      readonly counts: Readonly<Record<string, number>>;
      /** The first ten of them: those that have been known for the longest time. */
      readonly first: readonly Undeclared[];
      /** Where `spec.undeclared` is Remove: how many are not removed, by reason. Null for Report. */
      readonly spared: Readonly<Partial<Record<SparingReason, number>>> | null;
      /** The id with which a person confirms the removal on the Tenant, if the breaker holds it. */
      readonly confirmId: string | null;
      readonly removal: Removal | null;
    };

/**
 * The next resource to remove; `later`: others go first. `readAt`: when the read had started that showed it as it was found last;
 * null if it has to be read again.
 */
export type Removal =
  | { readonly is: "due"; readonly resource: Undeclared; readonly readAt: MonotonicTime | null }
  | { readonly is: "later"; readonly until: MonotonicTime };

/** Why a resource that nobody declared is not removed, although the Group says Remove. */
export type SparingReason =
  | "tenantReports"
  | "groupNotManaged"
  | "notSynced"
  | "providersUnknown"
  | "providerAbsent"
  | "otherOwnerPresent"
  | "onlyReported"
  | "outOfBounds"
  | "identityUnknown"
  | "credential"
  | "breakGlass"
  | "otherOwner"
  | "orphan"
  | "person"
  | "bound"
  | "named"
  | "cameBack"
  | "held"
  | "attempted"
  | "seenOnce";
