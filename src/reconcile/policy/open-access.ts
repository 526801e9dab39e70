import type { ClaimMatch } from "#src/api/claim-match.ts";
import { findOpenAccess } from "#src/api/public-issuers.ts";
import type { DecisionInput } from "./decision-input.ts";
import * as messages from "./messages.ts";
import type { Outcome } from "./outcome.ts";
import type { Event } from "./step.ts";

/**
 * The Event for an identity that anybody can assume who has an account at its issuer, once it is so in a new generation. Its
 * reason is that of undeclared access: who can use what is granted to the identity, nobody declared.
 */
export function openAccessEvent(observed: DecisionInput, outcome: Outcome): Event | undefined {
  const { kind, resource, references, publicIssuers } = observed;
  if (outcome.is !== "ready" || kind.principal === null || references.are !== "resolved") return undefined;
  const { status, metadata } = resource;
  if (status?.uid === outcome.recorded.uid && status.observedGeneration === metadata.generation) return undefined;
  // The fields are written as the schema of the spec returned them.
  const claimMatch = references.desired["claimMatch"] as ClaimMatch | undefined;
  const access = claimMatch === undefined ? undefined : findOpenAccess(claimMatch, publicIssuers);
  if (claimMatch === undefined || access === undefined) return undefined;
  const issuer = claimMatch.issuer ?? claimMatch.issuerPattern ?? "";
  return { type: "Warning", reason: "UndeclaredAccess", note: messages.openAccess(issuer, access) };
}
