import { issuedSecretLocation } from "#src/kinds/secret-location.ts";
import { issueExpired, secretWantedBy } from "./issue-messages.ts";
import { equalsRecord, guardsNoIssued, isOnlyHeld, type IssueInput, ownsIssued } from "./issued.ts";
import { stalled } from "./outcome.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import type { IdentificationRules } from "./identification-rules.ts";

/**
 * The status, or the Secret with its code, names the resource: equal ones are legitimate, so nothing else says whose it is. It is
 * never adopted, and not created again. See `issue.ts`.
 */
export const identificationBySecret: IdentificationRules = {
  owns: (observed: IssueInput, external: ExternalResource) => ownsIssued(observed, external),
  managementOf: () => "Created",
  provesOurs: (observed: IssueInput, _groups: readonly string[], found: ExternalResource) =>
    equalsRecord(observed, found),
  disowns: (observed: IssueInput, found: ExternalResource) => !ownsIssued(observed, found),

  isToAdopt: () => false,
  asksToAdopt: () => true,
  meantOf: () => undefined,
  matchOf: () => undefined,

  recordsAnother: () => false,
  staysAsAdopted: () => false,
  describe: () => undefined,
  equalUids: ({ matches }) => matches.map(({ uid }) => uid),

  unrecordedUid: (observed: IssueInput) => {
    const { claim, wantedByOthers } = observed;
    if (claim === null || claim.claimedBy !== null) return undefined;
    return isOnlyHeld(observed) && wantedByOthers.includes(claim.uid) ? undefined : claim.uid;
  },
  guardsNothing: (observed: IssueInput) => guardsNoIssued(observed),
  // What the Secret names cannot be looked at.
  canBeLookedFor: () => false,
  mayBeCreatedAgain: () => false,

  createdToRecord: () => undefined,
  recordsExpiry: false,
  ended: ({ kind }) => ({ ...stalled("Expired", issueExpired(kind.noun)), recorded: "ended" }),
  claimedByOther: (observed: IssueInput, _uid: string, other: string) => wanted(observed, other),
  wantedByOther: (observed: IssueInput, other: string) => wanted(observed, other),
};

function wanted({ kind, resource }: IssueInput, other: string): string {
  const { code } = kind.identification;
  return secretWantedBy(code.specPath, issuedSecretLocation(code, resource), other);
}
