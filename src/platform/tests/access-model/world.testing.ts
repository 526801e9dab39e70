import { builtinRoles } from "#src/platform/authorization/builtin-roles.ts";
import { allCapabilities, Capability } from "#src/platform/authorization/capability.ts";
import type { Random } from "./random.testing.ts";

/** A resource. Its parent is a reference, because the model never parses uids. */
export interface Place {
  readonly uid: string;
  readonly parent: Place | undefined;
}

export interface Identity extends Place {
  /** Whether its static keys have expired: then nobody can use the identity. */
  readonly expired: boolean;
}

export interface Role extends Place {
  capabilities: readonly Capability[];
}

export interface Binding extends Place {
  readonly identity: Place;
  readonly role: Role;
}

/** An identity provider or an invite: both grant a role. */
export interface RoleGrant extends Place {
  readonly role: Role;
  readonly expired: boolean;
}

export interface Tag extends Place {
  readonly name: string;
}

/** All resources, by collection. */
export interface World {
  readonly groups: Place[];
  readonly identities: Identity[];
  /** Custom roles and built-in ones, which have no parent. */
  readonly roles: Role[];
  readonly roleBindings: Binding[];
  readonly identityProviders: RoleGrant[];
  readonly accountAssociations: Place[];
  readonly groupInvites: RoleGrant[];
  readonly repos: Place[];
  readonly tags: Tag[];
  readonly advisories: Place[];
}

export type Kind = keyof World;
/** Advisories are created only by `muster platform load`. */
export type ChangeableKind = Exclude<Kind, "advisories">;

/** The parameters of one exchange or refresh that downscope the token. */
export interface Downscope {
  readonly capabilities?: readonly Capability[];
  readonly scopes?: readonly Place[];
}

/** A principal with a token of an identity, from an exchange and from a refresh for each further downscope. */
export interface TokenHolder {
  readonly kind: "identity";
  readonly identity: Place;
  readonly downscopes: readonly Downscope[];
}

/** The principal that makes a call. */
export type Principal = { readonly kind: "admin" } | TokenHolder;

/** The resource and its ancestors. */
export function pathOf(place: Place): Place[] {
  const path: Place[] = [];
  for (let one: Place | undefined = place; one !== undefined; one = one.parent) path.push(one);
  return path;
}

export function childOf(random: Random, parent: Place): Place {
  return { uid: `${parent.uid}/${random.hex(16)}`, parent };
}

/** Random capabilities, often including those that allow granting others. */
export function randomCapabilities(random: Random): Capability[] {
  const guards = [
    Capability.CAP_IAM_ROLE_BINDINGS_CREATE,
    Capability.CAP_IAM_ROLE_BINDINGS_UPDATE,
    Capability.CAP_IAM_GROUP_INVITES_CREATE,
    Capability.CAP_IAM_IDENTITY_PROVIDERS_CREATE,
    Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE,
    Capability.CAP_IAM_IDENTITY_UPDATE,
  ];
  // A role has at least one capability.
  const few = Array.from({ length: 1 + random.below(4) }, () => random.pick(allCapabilities));
  return [...new Set([...few, ...(random.oneIn(2) ? random.some(allCapabilities) : []), ...random.some(guards)])];
}

/** The roles that can be bound in a group: the built-in ones, and those of the group and its ancestors. */
export function rolesFor({ roles }: World, group: Place): Role[] {
  return roles.filter(({ parent }) => parent === undefined || pathOf(group).includes(parent));
}

/** A small random world, with bindings in ancestors and in unrelated groups. */
export function randomWorld(random: Random): World {
  const groups: Place[] = [
    { uid: random.hex(40), parent: undefined },
    { uid: random.hex(40), parent: undefined },
  ];
  const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  for (let n = 0; n < 14; n++) groups.push(childOf(random, random.pick(groups)));
  const anywhere = () => childOf(random, random.pick(groups));

  const roles: Role[] = builtinRoles.map(({ uid, capabilities }) => ({
    uid,
    parent: undefined,
    capabilities: [...capabilities],
  }));
  roles.push(...times(8, () => ({ ...anywhere(), capabilities: randomCapabilities(random) })));
  const world: World = {
    groups,
    identities: times(9, () => ({ ...anywhere(), expired: random.oneIn(9) })),
    roles,
    roleBindings: [],
    identityProviders: [],
    accountAssociations: random.some(groups).map((group) => ({ uid: group.uid, parent: group })),
    groupInvites: [],
    repos: times(6, anywhere),
    tags: [],
    advisories: times(6, anywhere),
  };
  const roleGrant = (): RoleGrant => {
    const place = anywhere();
    return { ...place, role: random.pick(rolesFor(world, place.parent as Place)), expired: random.oneIn(3) };
  };
  world.identityProviders.push(...times(5, () => ({ ...roleGrant(), expired: false })));
  world.groupInvites.push(...times(6, roleGrant));
  world.tags.push(...times(8, () => ({ ...childOf(random, random.pick(world.repos)), name: `t${random.hex(8)}` })));
  for (let n = 0; n < 18; n++) world.roleBindings.push(randomBinding(random, world));
  // Empty groups, which can be deleted.
  for (let n = 0; n < 6; n++) groups.push(childOf(random, random.pick(groups)));
  return world;
}

export function randomBinding(random: Random, world: World): Binding {
  const group = random.pick(world.groups);
  return {
    ...childOf(random, group),
    identity: random.pick(world.identities),
    role: random.pick(rolesFor(world, group)),
  };
}

/** The admin or, usually, an identity whose token can be downscoped once or twice, to capabilities, groups or both. */
export function randomPrincipal(random: Random, world: World): Principal {
  if (random.oneIn(12)) return { kind: "admin" };
  const identity = random.oneIn(30) ? childOf(random, random.pick(world.groups)) : random.pick(world.identities);
  const first: Downscope = {
    ...(random.oneIn(3) ? { capabilities: atLeastOne(random, allCapabilities) } : {}),
    ...(random.oneIn(3) ? { scopes: [random.pick(world.groups), ...random.some(world.groups).slice(0, 1)] } : {}),
  };
  const downscopes = random.oneIn(3) ? [first, randomFurtherDownscope(random, world, first)] : [first];
  return { kind: "identity", identity, downscopes };
}

/** Usually within the first downscope, sometimes beyond it. */
function randomFurtherDownscope(random: Random, { groups }: World, { capabilities, scopes }: Downscope): Downscope {
  const left = random.oneIn(8) ? allCapabilities : (capabilities ?? allCapabilities);
  const within = groups.filter((group) => scopes?.some((scope) => pathOf(group).includes(scope)) ?? true);
  return {
    ...(random.oneIn(2) ? { capabilities: atLeastOne(random, left) } : {}),
    ...(random.oneIn(2) ? { scopes: [random.pick(random.oneIn(8) ? groups : within)] } : {}),
  };
}

function atLeastOne<T>(random: Random, items: readonly T[]): T[] {
  return [...new Set([random.pick(items), ...random.some(items)])];
}
