import { readyCondition } from "#src/api/condition.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { documented, type Link } from "./link.ts";

/** What an object's own status says. */
export type ObjectLink = Link & {
  /** Whether the operator has not seen the object as it is now, so that its condition says nothing about it. */
  readonly unserved: boolean;
};

/** @param link what the object is to the one before it */
export function objectLink(link: string, subject: string, resource: Resource): ObjectLink {
  const { metadata } = resource;
  const ready = readyCondition(resource);
  const deletion =
    metadata.deletionTimestamp === undefined ? "" : `Being deleted since ${metadata.deletionTimestamp}. `;
  const base = { link, subject };
  if (ready === undefined)
    return {
      ...base,
      state: "problem",
      unserved: true,
      message: `${deletion}No operator has written a status of this object, which was created at ${metadata.creationTimestamp ?? "an unknown time"}.`,
      fix: "If it was just created, wait some seconds and ask again. If it lasts, run muster doctor.",
    };
  const { observedGeneration, status } = ready;
  const [reason, since] = [oneLine(ready.reason), oneLine(ready.lastTransitionTime)];
  const isCurrent = (observedGeneration ?? metadata.generation ?? 0) >= (metadata.generation ?? 0);
  if (!isCurrent)
    return {
      ...base,
      state: "problem",
      unserved: true,
      reason,
      since,
      message: `${deletion}The operator has not seen the last change: its status is of generation ${observedGeneration}, and the object has generation ${metadata.generation}. Before, it was ${status === "True" ? "Ready" : `not Ready (${reason})`}.`,
      fix: "If it was just changed, wait some seconds and ask again. If it lasts, run muster doctor.",
    };
  const message = deletion + oneLine(ready.message);
  const said = { ...base, unserved: false, reason, since, message, ...decidedBy(resource) };
  return status === "True" && deletion === ""
    ? { ...said, state: "ok" }
    : { ...said, state: "problem", ...fixOf(reason) };
}

/** Absent in the status of an operator of an earlier version. */
function decidedBy({ status }: Resource): Pick<ObjectLink, "decidedBy"> {
  return status?.decidedBy === undefined ? {} : { decidedBy: oneLine(status.decidedBy) };
}

/** The documented fix of a reason. */
export function fixOf(reason: string): { readonly fix?: string } {
  const found = documented(reason);
  if (found === undefined)
    return { fix: "This version of muster does not know the reason: the message says what to do." };
  return found.fix === undefined ? {} : { fix: found.fix };
}
