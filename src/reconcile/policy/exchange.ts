import type { Exchange } from "#src/api/status.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Outcome } from "./outcome.ts";
import type { ExchangePatch } from "./step.ts";

/**
 * What `status.exchange` must say: what a client needs to assume the resource once that is Ready, null once it is gone,
 * undefined if what it says stays true.
 */
export function exchangeOf(observed: DecisionInput, outcome: Outcome): ExchangePatch | null | undefined {
  const { kind, resource, references, claim, endpoints } = observed;
  const before = resource.status?.exchange;
  if (outcome.is !== "ready") return "reason" in outcome && outcome.reason === "ExternalGone" ? null : undefined;
  if (kind.principal === null || references.are !== "resolved") return null;
  // An object that only observes need not say who may assume the resource: the resource says it.
  const isDescribed = kind.principal.isDescribed(resource);
  const external = claim?.external.is === "present" ? claim.external.resource : observed.matches[0];
  const fields = isDescribed || external === undefined ? references.desired : kind.actual(external, {});
  return withRemovals(before, kind.principal.exchange(fields, endpoints));
}

/** A merge patch keeps the fields that it does not name: those that the new value lacks are removed by name. */
function withRemovals(before: Exchange | undefined, exchange: Exchange): ExchangePatch {
  const removed = Object.keys(before ?? {}).filter((field) => !(field in exchange));
  return { ...exchange, ...Object.fromEntries(removed.map((field) => [field, null])) };
}
