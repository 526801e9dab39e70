import { builtinRoles } from "#src/platform/access/builtin-roles.ts";
import { allCapabilities, Capability } from "#src/platform/access/capability.ts";
import type { Random } from "./random.testing.ts";

/** Something in the tree. What is above it is told by reference: the model never looks into a uid. */
export interface Place {
  readonly uid: string;
  readonly parent: Place | undefined;
}

export interface Identity extends Place {
  /** Its static keys have expired, and with them the identity. */
  readonly expired: boolean;
}

export interface Role extends Place {
  capabilities: readonly Capability[];
}

export interface Binding extends Place {
  readonly identity: Place;
  readonly role: Role;
}

/** A provider, or an invite. */
export interface Promising extends Place {
  readonly role: Role;
  readonly expired: boolean;
}

export interface Tag extends Place {
  readonly name: string;
}

/** All that there is, by the names of the collections. */
export interface World {
  readonly groups: Place[];
  readonly identities: Identity[];
  /** The built-in ones too, which are in no group. */
  readonly roles: Role[];
  readonly roleBindings: Binding[];
  readonly identityProviders: Promising[];
  readonly accountAssociations: Place[];
  readonly groupInvites: Promising[];
  readonly repos: Place[];
  readonly tags: Tag[];
  readonly advisories: Place[];
}

export type Kind = keyof World;
/** Advisories have no way in or out but `muster platform load`. */
export type ChangeableKind = Exclude<Kind, "advisories">;

/** What a token is narrowed to, once. */
export interface Narrowing {
  readonly capabilities?: readonly Capability[];
  readonly scopes?: readonly Place[];
}

/** Who has a token for an identity, from an exchange, and then from a refresh for each further narrowing. */
export interface TokenHolder {
  readonly kind: "identity";
  readonly identity: Place;
  readonly narrowings: readonly Narrowing[];
}

/** Who asks. */
export type Asker = { readonly kind: "admin" } | TokenHolder;

/** The place and everything above it. */
export function pathOf(place: Place): Place[] {
  const path: Place[] = [];
  for (let one: Place | undefined = place; one !== undefined; one = one.parent) path.push(one);
  return path;
}

export function childOf(random: Random, parent: Place): Place {
  return { uid: `${parent.uid}/${random.hex(16)}`, parent };
}

/** A few capabilities at random, often those that guard others. */
export function randomCapabilities(random: Random): Capability[] {
  const guards = [
    Capability.CAP_IAM_ROLE_BINDINGS_CREATE,
    Capability.CAP_IAM_ROLE_BINDINGS_UPDATE,
    Capability.CAP_IAM_GROUP_INVITES_CREATE,
    Capability.CAP_IAM_IDENTITY_PROVIDERS_CREATE,
    Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE,
    Capability.CAP_IAM_IDENTITY_UPDATE,
  ];
  // Never none: a role has at least one.
  const few = Array.from({ length: 1 + random.below(4) }, () => random.pick(allCapabilities));
  return [...new Set([...few, ...(random.oneIn(2) ? random.some(allCapabilities) : []), ...random.some(guards)])];
}

/** Roles that may be bound in a group: the built-in ones, and those of the group and of the groups above it. */
export function rolesFor({ roles }: World, group: Place): Role[] {
  return roles.filter(({ parent }) => parent === undefined || pathOf(group).includes(parent));
}

/** A small world: deep enough that rights come from above, wide enough that others are beside. */
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
  const promising = (): Promising => {
    const place = anywhere();
    return { ...place, role: random.pick(rolesFor(world, place.parent as Place)), expired: random.oneIn(3) };
  };
  world.identityProviders.push(...times(5, () => ({ ...promising(), expired: false })));
  world.groupInvites.push(...times(6, promising));
  world.tags.push(...times(8, () => ({ ...childOf(random, random.pick(world.repos)), name: `t${random.hex(8)}` })));
  for (let n = 0; n < 18; n++) world.roleBindings.push(randomBinding(random, world));
  // Empty ones, which may be deleted.
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

/** Somebody, mostly an identity; its token may be narrowed to capabilities, to groups, or to both, and once again. */
export function randomAsker(random: Random, world: World): Asker {
  if (random.oneIn(12)) return { kind: "admin" };
  const identity = random.oneIn(30) ? childOf(random, random.pick(world.groups)) : random.pick(world.identities);
  const first: Narrowing = {
    ...(random.oneIn(3) ? { capabilities: atLeastOne(random, allCapabilities) } : {}),
    ...(random.oneIn(3) ? { scopes: [random.pick(world.groups), ...random.some(world.groups).slice(0, 1)] } : {}),
  };
  const narrowings = random.oneIn(3) ? [first, randomFurtherNarrowing(random, world, first)] : [first];
  return { kind: "identity", identity, narrowings };
}

/** Mostly within what is left; now and then beyond it. */
function randomFurtherNarrowing(random: Random, { groups }: World, { capabilities, scopes }: Narrowing): Narrowing {
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
