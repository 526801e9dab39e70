import { allCapabilities, Capability } from "#src/platform/authorization/capability.ts";
import { Code } from "#src/platform/errors/api-error.ts";
import { neededCapabilities } from "./needed-capabilities.testing.ts";
import type { Content, Filter, Call } from "./call.testing.ts";
import {
  type Principal,
  type Binding,
  type ChangeableKind,
  type Kind,
  pathOf,
  type Place,
  type Role,
  type World,
} from "./world.testing.ts";

/** The code, 0 for success, and for a List its sorted uids. */
export interface ExpectedResult {
  readonly code: 0 | Code;
  readonly uids?: readonly string[];
}

class ModelError extends Error {
  readonly code: Code;
  constructor(code: Code) {
    super(`code ${code}`);
    this.code = code;
  }
}

const {
  CAP_IAM_ROLE_BINDINGS_CREATE: bind,
  CAP_IAM_ROLE_BINDINGS_UPDATE: rebind,
  CAP_IAM_ROLE_BINDINGS_DELETE: unbind,
} = Capability;

/** The result that the platform must return, from a direct transcription of the access rules. */
export function expectedResultOf(world: World, principal: Principal, call: Call): ExpectedResult {
  try {
    return evaluate(new Evaluator(world, principal), call);
  } catch (error) {
    if (error instanceof ModelError) return { code: error.code };
    throw error;
  }
}

function evaluate(by: Evaluator, call: Call): ExpectedResult {
  const { kind } = call;
  by.checkIdentity();
  switch (call.verb) {
    case "list":
      return { code: 0, uids: by.listed(kind, call.filter) };
    case "listV1":
      return { code: 0, uids: by.listedV1(call.kind, call.filter, call.id) };
    case "get":
      by.get(kind, call.target);
      return { code: 0 };
    case "create":
      by.create(call.kind, call.parent, call.content);
      return { code: 0 };
    case "update":
      by.update(call.kind, call.target, call.content);
      return { code: 0 };
    case "delete":
      by.delete(call.kind, call.target);
      return { code: 0 };
  }
}

class Evaluator {
  readonly #world: World;
  readonly #principal: Principal;

  constructor(world: World, principal: Principal) {
    this.#world = world;
    this.#principal = principal;
  }

  /** Every request reads the caller's identity: if it was deleted or its static keys have expired, the code is 16. */
  checkIdentity(): void {
    if (this.#principal.kind === "admin") return;
    const { identity } = this.#principal;
    const found = this.#world.identities.find((candidate) => candidate === identity);
    if (found === undefined || found.expired) throw new ModelError(Code.unauthenticated);
  }

  /** The principal's capabilities at a resource: a binding applies to its group and to every group below it. */
  #capabilitiesAt(place: Place): readonly Capability[] {
    const principal = this.#principal;
    if (principal.kind === "admin") return allCapabilities;
    const path = pathOf(place);
    const { downscopes } = principal;
    if (!downscopes.every(({ scopes }) => scopes?.some((scope) => path.includes(scope)) ?? true)) return [];
    return this.#world.roleBindings
      .filter(({ identity, parent }) => identity === principal.identity && path.includes(parent as Place))
      .flatMap(({ role }) => role.capabilities)
      .filter((capability) => downscopes.every(({ capabilities: named }) => named?.includes(capability) ?? true));
  }

  #can(capability: Capability, place: Place): boolean {
    return this.#capabilitiesAt(place).includes(capability);
  }

  #sees(place: Place): boolean {
    return this.#capabilitiesAt(place).length > 0;
  }

  #require(capability: Capability, place: Place): void {
    if (this.#can(capability, place)) return;
    throw new ModelError(this.#sees(place) ? Code.permissionDenied : Code.notFound);
  }

  #requireAll(needed: readonly Capability[], place: Place): void {
    if (!needed.every((capability) => this.#can(capability, place))) throw new ModelError(Code.permissionDenied);
  }

  #find<K extends Kind>(kind: K, { uid }: Place): World[K][number] {
    const found = this.#world[kind].find((resource) => resource.uid === uid);
    if (found === undefined) throw new ModelError(Code.notFound);
    return found;
  }

  listed(kind: Kind, filter: Filter): string[] {
    const holders: readonly Kind[] = kind === "tags" ? ["groups", "repos"] : ["groups"];
    for (const place of [filter.descendantsOf, filter.childrenOf])
      if (place !== undefined) this.#rejectOtherKinds(holders, place);
    for (const place of filter.ids ?? []) this.#rejectOtherKinds([kind], place);
    const inFilter = (one: Place) =>
      (filter.descendantsOf === undefined || isBelow(one, filter.descendantsOf)) &&
      (filter.childrenOf === undefined || one.parent?.uid === filter.childrenOf.uid) &&
      (filter.ancestorsOf === undefined || isBelow(byUid(filter.ancestorsOf, this.#world), one)) &&
      (filter.inRoot === undefined || one.parent === undefined) &&
      (filter.ids === undefined || filter.ids.some(({ uid }) => uid === one.uid));
    return this.#world[kind]
      .filter(
        (resource) =>
          (kind === "roles" && resource.parent === undefined) || this.#can(neededCapabilities[kind].list, resource),
      )
      .filter(inFilter)
      .map(({ uid }) => uid)
      .toSorted();
  }

  listedV1(kind: Kind, filter: Filter, id: Place | undefined): string[] {
    if (id !== undefined) this.#rejectOtherKinds([kind], id);
    return this.listed(kind, filter).filter((uid) => id === undefined || uid === id.uid);
  }

  get(kind: Kind, target: Place): void {
    const found = this.#find(kind, target);
    if (kind === "roles" && found.parent === undefined) return;
    this.#require(neededCapabilities[kind].list, found);
  }

  create(kind: ChangeableKind, parent: Place | undefined, content: Content): void {
    if (parent === undefined) {
      if (this.#principal.kind !== "admin") throw new ModelError(Code.permissionDenied);
      return;
    }
    const at = this.#find(kind === "tags" ? "repos" : "groups", parent);
    const isThere = this.#world.tags.some((tag) => kind === "tags" && tag.name === content.name && tag.parent === at);
    this.#require(neededCapabilities[kind][isThere ? "update" : "create"], at);
    switch (kind) {
      case "roles":
        return this.#requireAll(content.capabilities ?? [], at);
      case "roleBindings":
        return this.#checkBinding(at, content.identity as Place, content.role as Place);
      case "identityProviders":
      case "groupInvites":
        this.#require(bind, at);
        return this.#checkGrant(at, content.role as Place);
      case "accountAssociations":
        if (this.#world.accountAssociations.some((association) => association.parent === at))
          throw new ModelError(Code.alreadyExists);
        return;
      case "groups":
      case "identities":
      case "repos":
      case "tags":
        return;
    }
  }

  update(kind: ChangeableKind, target: Place, content: Content): void {
    if (kind === "roles" && isBuiltin(target, this.#world)) throw new ModelError(Code.permissionDenied);
    const found = this.#find(kind, target);
    this.#require(kind === "roleBindings" ? rebind : neededCapabilities[kind].update, found);
    const group = found.parent as Place;
    switch (kind) {
      case "identities":
        if (content.assumption) this.#requireCapabilitiesOf(found);
        return;
      case "roles": {
        const before = (found as Role).capabilities;
        return this.#requireAll(
          (content.capabilities ?? []).filter((capability) => !before.includes(capability)),
          group,
        );
      }
      case "roleBindings":
        return this.#checkBinding(group, content.identity as Place, content.role as Place);
      case "identityProviders":
        this.#require(bind, group);
        return this.#checkGrant(group, content.role as Place);
      case "groupInvites":
        this.#require(bind, group);
        return this.#checkGrant(group, (found as Binding).role);
      case "groups":
      case "accountAssociations":
      case "repos":
      case "tags":
        return;
    }
  }

  delete(kind: ChangeableKind, target: Place): void {
    const world = this.#world;
    if (kind === "roles" && isBuiltin(target, world)) throw new ModelError(Code.permissionDenied);
    if (kind === "roleBindings" && !world.roleBindings.some(({ uid }) => uid === target.uid)) {
      // Deleting a binding that does not exist succeeds with the capability on its parent: the uid may be that of a group.
      const { parent } = byUid(target, world);
      if (parent === undefined) throw new ModelError(Code.notFound);
      return this.#require(unbind, parent);
    }
    if (kind === "accountAssociations") {
      // So does deleting the association of a group that has none.
      const group = byUid(target, world);
      if (!world.groups.some(({ uid }) => uid === group.uid)) throw new ModelError(Code.notFound);
      return this.#require(neededCapabilities[kind].delete, group);
    }
    const found = this.#find(kind, target);
    this.#require(neededCapabilities[kind].delete, found);
    const inside = (one: Place) => one.parent === found;
    const uses = ({ role }: { role: Role }) => role === found;
    const alive = world.groupInvites.filter(({ expired }) => !expired);
    const children = [
      ...[world.repos, world.groups, world.identities, world.roles, world.roleBindings].flat(),
      ...[world.identityProviders, world.accountAssociations, alive, world.tags, world.advisories].flat(),
    ];
    const holds = (kind === "groups" || kind === "repos") && children.some(inside);
    const used = kind === "roles" && [...world.roleBindings, ...world.identityProviders, ...alive].some(uses);
    if (holds || used) throw new ModelError(Code.failedPrecondition);
  }

  /** Nobody can grant what they do not have, nor grant to an identity that they cannot see. */
  #checkBinding(group: Place, identity: Place, role: Place): void {
    if (byUid(identity, this.#world).parent === undefined) throw new ModelError(Code.invalidArgument);
    this.#checkReference("identities", identity);
    this.#checkGrant(group, role);
  }

  #checkGrant(group: Place, role: Place): void {
    this.#checkReference("roles", role);
    const given = this.#find("roles", role);
    // A custom role can be bound only in its own group's subtree.
    if (given.parent !== undefined && !pathOf(group).includes(given.parent)) throw new ModelError(Code.invalidArgument);
    this.#requireAll(given.capabilities, group);
  }

  /** A resource that a body refers to must exist, be visible and be of the right kind. */
  #checkReference(kind: Kind, place: Place): void {
    const isThere = (one: Kind) => this.#world[one].some(({ uid }) => uid === place.uid);
    const isPublic = kind === "roles" && isBuiltin(place, this.#world);
    if (isThere(kind) && (isPublic || this.#sees(place))) return;
    const isOther = (Object.keys(this.#world) as Kind[]).some(isThere);
    throw new ModelError(isOther && this.#sees(place) ? Code.invalidArgument : Code.notFound);
  }

  /** A filter can name a missing resource, but not a visible one of another kind, nor a uid that no such resource can have. */
  #rejectOtherKinds(wanted: readonly Kind[], place: Place): void {
    const isThere = (one: Kind) => this.#world[one].some(({ uid }) => uid === place.uid);
    const mayBeRoot: readonly Kind[] = ["groups", "roles", "accountAssociations"];
    if (byUid(place, this.#world).parent === undefined && !wanted.some((one) => mayBeRoot.includes(one)))
      throw new ModelError(Code.invalidArgument);
    if (wanted.some(isThere)) return;
    // An association has the uid of its group; a group without an association is valid in a filter.
    if (wanted.includes("accountAssociations") && isThere("groups")) return;
    const isOther = (Object.keys(this.#world) as Kind[]).some(isThere);
    if (isOther && (isBuiltin(place, this.#world) || this.#sees(place))) throw new ModelError(Code.invalidArgument);
  }

  /** Changing how an identity is assumed needs every capability that its bindings grant, where they grant it. */
  #requireCapabilitiesOf(identity: Place): void {
    for (const binding of this.#world.roleBindings)
      if (binding.identity === identity) this.#requireAll(binding.role.capabilities, binding.parent as Place);
  }
}

function isBelow(one: Place, top: Place): boolean {
  return pathOf(one)
    .slice(1)
    .some(({ uid }) => uid === top.uid);
}

function isBuiltin({ uid }: Place, { roles }: World): boolean {
  return roles.some((role) => role.uid === uid && role.parent === undefined);
}

/** The group with this uid, if there is one: an association has the uid of its group. */
function byUid(place: Place, { groups }: World): Place {
  return groups.find(({ uid }) => uid === place.uid) ?? place;
}
