import { ancestorsOf, isWithin, parentOf } from "#src/platform/contract/uid.ts";
import { downscope, gives, type GrantLimits } from "#src/platform/authorization/grant.ts";
import type { AccessState, KnownBinding, KnownGroup, KnownIdentity, KnownRole } from "./access-state.ts";

/** What a token is limited to, whatever its identity's role bindings grant. Capabilities have the names of the contract. */
export type TokenLimits = GrantLimits<string>;

export const noLimits: TokenLimits = { capabilities: undefined, groups: undefined };

/** What was read, with the indexes that questions need. */
export interface AccessModel {
  readonly state: AccessState;
  readonly groups: ReadonlyMap<string, KnownGroup>;
  readonly identities: ReadonlyMap<string, KnownIdentity>;
  readonly roles: ReadonlyMap<string, KnownRole>;
  /** The role bindings by the group in which, and below which, they grant. */
  readonly bindingsIn: ReadonlyMap<string, readonly KnownBinding[]>;
  /** The role bindings by identity. */
  readonly bindingsOf: ReadonlyMap<string, readonly KnownBinding[]>;
  /** The groups in which something proves that the caller lists role bindings. */
  readonly provenIn: ReadonlySet<string>;
}

export function accessModel(state: AccessState): AccessModel {
  return {
    state,
    groups: byUid(state.groups),
    identities: byUid(state.identities),
    roles: byUid(state.roles),
    bindingsIn: Map.groupBy(state.bindings, groupOf),
    bindingsOf: Map.groupBy(state.bindings, ({ identity }) => identity.uid),
    provenIn: new Set(state.bindings.map(groupOf)),
  };
}

/**
 * The model of what a change would make of what was read. The change shows nothing more of the platform: what was unknown before is
 * unknown after it. Only in the groups that it creates, there is nothing else.
 */
export function changedModel({ groups, provenIn }: AccessModel, state: AccessState): AccessModel {
  const created = state.groups.flatMap(({ uid }) => (groups.has(uid) ? [] : [uid]));
  return { ...accessModel(state), provenIn: new Set([...provenIn, ...created]) };
}

function byUid<T extends { readonly uid: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one.uid, one]));
}

/** The group in which, and below which, the binding grants its role. */
export function groupOf({ uid }: KnownBinding): string {
  return parentOf(uid) ?? "";
}

/** The role bindings that apply on `uid`: those in it, if it is a group, and in the groups above it, from the root down. */
export function bindingsOn({ bindingsIn }: AccessModel, uid: string): readonly KnownBinding[] {
  return [...ancestorsOf(uid), uid].flatMap((group) => bindingsIn.get(group) ?? []);
}

/**
 * Whether the caller lists the role bindings of the group. A list shows nothing of a group in which the caller does not have
 * `role_bindings.list`, and returns no error. Therefore a visible binding in the group, or in one above it, is the proof; and
 * there is one wherever the caller has the capability, for its own binding grants it there. A token that is limited to a
 * group without bindings has none to show, and one that is limited to a single binding shows no other: then nothing is proven.
 */
export function listsBindingsOf(model: AccessModel, group: string): boolean {
  const { scopes, seesEverything } = model.state;
  if (seesEverything) return true;
  const isInScope = scopes === undefined || scopes.some((scope) => isWithin(scope, group));
  return isInScope && [...ancestorsOf(group), group].some((above) => model.provenIn.has(above));
}

/** The groups in which, and below which, the caller lists role bindings: the outermost ones. */
export function listedGroups(model: AccessModel): readonly string[] {
  const listed = new Set([...model.provenIn].filter((group) => listsBindingsOf(model, group)));
  return [...listed].filter((group) => !ancestorsOf(group).some((above) => listed.has(above)));
}

/**
 * Whether a binding gives the capability on `uid` to a token with the limits, by the functions with which the platform
 * authorizes.
 * @returns undefined if that depends on a role that cannot be read
 */
export function bindingGives(
  { roles }: AccessModel,
  binding: KnownBinding,
  { at, capability, limits }: { readonly at: string; readonly capability: string; readonly limits: TokenLimits },
): boolean | undefined {
  const givenBy = (capabilities: ReadonlySet<string>) =>
    downscope([{ group: groupOf(binding), capabilities }], limits).some((grant) => gives(grant, capability, at));
  const role = roles.get(binding.role.uid);
  if (role !== undefined) return givenBy(role.capabilities);
  return givenBy(new Set([capability])) ? undefined : false;
}

/** The names of all capabilities that a role has, as the contract writes them. */
export function knownCapabilities({ state }: AccessModel): ReadonlySet<string> {
  return new Set(state.roles.flatMap(({ capabilities }) => [...capabilities]));
}
