import { isDeepStrictEqual } from "node:util";
import type { AccessModel } from "./access-model.ts";
import type { Assumption, KnownBinding } from "./access-state.ts";

/** An identity that other subjects can assume after a change: they get what it may do, and those of before lose it. */
export interface AssumptionChange {
  readonly identity: KnownBinding["identity"];
  readonly before: Assumption;
  readonly after: Assumption;
  /** The role bindings of the identity before the change. */
  readonly had: readonly KnownBinding[];
  /** Those after it. */
  readonly has: readonly KnownBinding[];
}

/** The identities that exist before and after the change, and are assumed with other claims or keys, by uid. */
export function assumptionChanges(before: AccessModel, after: AccessModel): readonly AssumptionChange[] {
  const changes = after.state.identities.flatMap(({ uid, name, assumedBy }): AssumptionChange[] => {
    const earlier = before.identities.get(uid)?.assumedBy;
    if (earlier === undefined || isDeepStrictEqual(subjectsOf(earlier), subjectsOf(assumedBy))) return [];
    const [had = [], has = []] = [before, after].map(({ bindingsOf }) => bindingsOf.get(uid));
    return [{ identity: { uid, name }, before: earlier, after: assumedBy, had, has }];
  });
  return changes.toSorted((one, other) => (one.identity.uid < other.identity.uid ? -1 : 1));
}

/** The order of the conditions has no meaning, and when keys expire does not change who has them. */
function subjectsOf({ conditions, method }: Assumption) {
  return { method, conditions: new Set(conditions.map(({ name, value }) => JSON.stringify([name, value]))) };
}
