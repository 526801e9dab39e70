import { shortList } from "#src/text/short-list.ts";
import { minutes } from "#src/time/durations.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { waiting } from "./outcome.ts";
import type { PlatformStep, Step } from "./step.ts";

/** Who logged in since the last list is not known: a list may be this old when the resource is deleted. */
const maxAgeMs = minutes(1);

/** The list of identities that is missing before it is known whether some depend on the resource. */
export function readPeople({ people, state, now }: DecisionInput): PlatformStep | undefined {
  if (people === null) return undefined;
  const startedAfter = Math.max(state.deletionSeenAt ?? state.firstSeenAt, now - maxAgeMs);
  if (people.snapshot !== null && people.snapshot.startedAt >= startedAfter) return undefined;
  return { do: "list", kind: "Identity", parent: people.group, startedAfter, stable: false };
}

/**
 * The deletion of a resource waits while identities depend on it: nobody could log in as them any longer, and nothing would
 * show that they are people, so that their role bindings could be removed as undeclared.
 */
export function findPeople(observed: DecisionInput): Step | undefined {
  const { people, now, kind } = observed;
  if (people === null || people.uids.length === 0) return undefined;
  return conclude(observed, waiting("ChildrenExist", peopleExistMessage(kind.noun, people.uids)), now + maxAgeMs);
}

// What they say.

/** @param actual what the resource has on the platform. */
export function otherPeopleMessage(path: string, noun: string, uid: string, actual: string): string {
  return `${path}: other people log in by means of the ${noun} ${uid}, which has "${actual}" there, so it is not adopted. The field is immutable: delete this object, which leaves the ${noun} unchanged, and create it with "${actual}", or with another spec.name.`;
}

function peopleExistMessage(noun: string, uids: readonly string[]): string {
  return `People logged in by means of the ${noun}: identities ${shortList(uids)}. Delete these identities on the platform first; or keep the ${noun} with spec.policy.deletion: Orphan.`;
}
