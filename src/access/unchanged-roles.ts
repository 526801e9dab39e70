import type { AccessModel } from "./access-model.ts";
import type { KnownRole } from "./access-state.ts";

/**
 * The roles that are known to have had their capabilities for a whole period, by uid. A role without a time may have been
 * changed, unless it is built in.
 * @param since the begin of the period, in milliseconds since the epoch
 */
export function unchangedRoles({ state }: AccessModel, since: number): ReadonlyMap<string, KnownRole> {
  const isUnchanged = ({ uid, updateTime }: KnownRole) =>
    updateTime === undefined ? !uid.includes("/") : Date.parse(updateTime) <= since;
  return new Map(state.roles.filter(isUnchanged).map((role) => [role.uid, role]));
}
