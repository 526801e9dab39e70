import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { type Check, check, type Phase } from "./check.ts";
import { conclude } from "./conclude.ts";
import { type DecisionInput, rootAbove } from "./decision-input.ts";
import { isStale, readBeforeEnding } from "./freshness.ts";
import { identificationOf } from "./identification-of.ts";
import { identifiedBy } from "./identified-by.ts";
import { type IssueInput, isUnidentified } from "./issued.ts";
import type { Problem } from "./outcome.ts";
import { findPeople, readPeople } from "./dependent-people.ts";
import { decideRelease } from "./release.ts";
import { attempt } from "./retry.ts";
import { isPlatformStep, type PlatformStep, type Step } from "./step.ts";
import { findEndingDenied } from "./tenant.ts";
import { identityRead } from "./unknown-identity.ts";

/** What the end of a resource means for its object. */
export interface Consequences {
  /** What the object reports until the resource has ended, also while a call fails. Undefined: how the call failed. */
  readonly meanwhile?: Problem;
  /** The step if the resource is not the object's after all, and stays as it is. */
  readonly notOurs: (observed: DecisionInput) => Step;
  /** The step if the Tenant does not let the object end it. */
  readonly denied: (observed: DecisionInput, problem: Problem) => Step;
  /** The step if it cannot be known yet whether the resource, which only a Secret names, is the object's. */
  readonly unidentified: (observed: IssueInput) => Step;
  /** Why the resource stays on the platform, without its marker; undefined if it is deleted. */
  readonly kept: (observed: DecisionInput, found: ExternalResource | undefined) => string | undefined;
  /** What the event about the deletion says. */
  readonly note: (observed: Ending) => string;
}

/** A resource that ends: it is deleted, or given up. */
export interface Ending extends DecisionInput {
  readonly uid: string;
  readonly mayBeGone: boolean;
  /** Undefined if it was not seen, or may be gone. */
  readonly found: ExternalResource | undefined;
  readonly kept: string | undefined;
  readonly consequences: Consequences;
}

/** The end of the resource with this uid, as far as it is known. */
export function asEnding<Input extends DecisionInput>(
  observed: Input,
  uid: string,
  consequences: Consequences,
): Input & Ending {
  const external = observed.claim?.uid === uid ? observed.claim.external : undefined;
  const mayBeGone = external?.is === "stale" || isStale(observed, uid);
  const listed = mayBeGone ? undefined : observed.matches.find((match) => match.uid === uid);
  const found = external?.is === "present" ? external.resource : listed;
  return { ...observed, uid, mayBeGone, found, kept: consequences.kept(observed, found), consequences };
}

/** Whether the resource is proven to be gone. */
export function isGone({ claim, uid }: Ending): boolean {
  return claim?.uid === uid && claim.external.is === "gone";
}

/**
 * The end of a resource, whatever the reason: its object is being deleted or has expired, grants something else now, or only observes.
 * That something may be ended there was decided before. It ends what a current read shows to be the object's, and nothing else.
 */
export const endResource: Phase<Ending> = [
  calling("mayBeGone", "The resource may be gone.", ({ found, mayBeGone, uid }) =>
    mayBeGone && found === undefined ? { do: "read", uid } : undefined,
  ),
  calling("notSeenYet", "This process has not seen the resource yet.", (observed) => {
    const parent = rootAbove(observed, observed.uid);
    if (observed.found !== undefined || parent === undefined) return undefined;
    return { do: "list", parent, startedAfter: 0, stable: false };
  }),
  identifiedBy("secret", [
    check("unidentified", "Whether the resource that the Secret names is the object's is not known.", (observed) =>
      isUnidentified(observed) ? observed.consequences.unidentified(observed) : undefined,
    ),
  ]),
  calling("readBeforeEnding", "The resource was not read since there is a reason to end it.", (observed) =>
    readBeforeEnding(observed, observed.uid, observed.kept === undefined ? "delete" : "update"),
  ),
  check("notOurs", "The resource is not the object's after all.", (observed) => {
    const { found, consequences } = observed;
    return found !== undefined && identificationOf(observed).disowns(observed, found)
      ? consequences.notOurs(observed)
      : undefined;
  }),
  check("endingDenied", "The resource lies outside of the Tenant's groups.", (observed) => {
    const problem = findEndingDenied(observed, observed.uid, observed.found);
    return problem === undefined ? undefined : observed.consequences.denied(observed, problem);
  }),
  check("kept", "The resource stays on the platform.", (observed) => {
    const { found, kept } = observed;
    return found === undefined || kept === undefined ? undefined : decideRelease(observed, found, kept);
  }),
  calling("peopleUnread", "Who logged in through the resource is not known.", readPeople),
  check("peopleExist", "Identities of people depend on the resource.", findPeople),
  calling(
    "identityUnread",
    "Whether the identity that loses it is the credential of another operator is not known.",
    (observed) =>
      observed.found === undefined ? undefined : identityRead(observed, observed.kind.identityOf(observed.found)),
  ),
  calling("ends", "Nothing keeps the resource.", (observed) => ({
    do: "delete",
    uid: observed.uid,
    event: { type: "Normal", reason: "Deleted", note: observed.consequences.note(observed) },
  })),
];

/** A check that finds a call to the platform. While that fails, the object reports what `consequences` say. */
function calling(name: string, finds: string, find: (observed: Ending) => PlatformStep | undefined): Check<Ending> {
  return check(name, finds, (observed) => {
    const step = find(observed);
    if (step === undefined) return undefined;
    const { meanwhile } = observed.consequences;
    const next = attempt(observed, step);
    if (meanwhile === undefined || isPlatformStep(next)) return next;
    return conclude(observed, meanwhile, observed.state.failure?.retryAt);
  });
}
