import type { AccessModel } from "./access-model.ts";
import { dottedCapability } from "./capability-name.ts";
import { explain } from "./explain.ts";

/**
 * Whether it is known that the caller has a capability in a group, and thus in everything below it: then a list shows all that is there.
 * @param capability by the name of the contract
 * @param now milliseconds since the epoch
 */
export function callerCan(model: AccessModel, capability: string, group: string, now: number): boolean {
  const { caller, scopes, seesEverything } = model.state;
  if (seesEverything) return true;
  if (caller === undefined) return false;
  const { capabilities, identity } = caller;
  const isPermitted = capabilities === undefined || capabilities.includes(dottedCapability(capability));
  const limits = { groups: scopes, capabilities: new Set(isPermitted ? [capability] : []) };
  return explain(model, { identity, capability, at: group, limits }, now).decision === "yes";
}
