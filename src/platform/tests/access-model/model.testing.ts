import { allCapabilities, Capability } from "#src/platform/access/capability.ts";
import { Code } from "#src/platform/errors/api-error.ts";
import { neededCapabilities } from "./needed-capabilities.testing.ts";
import type { Content, Filter, Question } from "./question.testing.ts";
import {
  type Asker,
  type Binding,
  type ChangeableKind,
  type Kind,
  pathOf,
  type Place,
  type Role,
  type World,
} from "./world.testing.ts";

/** 0 for success; what a List shows, sorted. */
export interface Answer {
  readonly code: 0 | Code;
  readonly uids?: readonly string[];
}

class Refusal extends Error {
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

/** What the platform must answer: the rules as they are written, without any thought of speed. */
export function answerOf(world: World, asker: Asker, question: Question): Answer {
  try {
    return judged(new Judge(world, asker), question);
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code };
    throw error;
  }
}

function judged(by: Judge, question: Question): Answer {
  const { kind } = question;
  by.checkIdentity();
  switch (question.verb) {
    case "list":
      return { code: 0, uids: by.listed(kind, question.filter) };
    case "listV1":
      return { code: 0, uids: by.listedV1(question.kind, question.filter, question.id) };
    case "get":
      by.get(kind, question.target);
      return { code: 0 };
    case "create":
      by.create(question.kind, question.parent, question.content);
      return { code: 0 };
    case "update":
      by.update(question.kind, question.target, question.content);
      return { code: 0 };
    case "delete":
      by.delete(question.kind, question.target);
      return { code: 0 };
  }
}

class Judge {
  readonly #world: World;
  readonly #asker: Asker;

  constructor(world: World, asker: Asker) {
    this.#world = world;
    this.#asker = asker;
  }

  /** Every request reads its identity again: deleted, or its static keys expired → 16. */
  checkIdentity(): void {
    if (this.#asker.kind === "admin") return;
    const { identity } = this.#asker;
    const found = this.#world.identities.find((one) => one === identity);
    if (found === undefined || found.expired) throw new Refusal(Code.unauthenticated);
  }

  /** What the asker holds at a place: a binding holds in its group and in every group below it. */
  #held(place: Place): readonly Capability[] {
    const asker = this.#asker;
    if (asker.kind === "admin") return allCapabilities;
    const path = pathOf(place);
    const { narrowings } = asker;
    if (!narrowings.every(({ scopes }) => scopes?.some((scope) => path.includes(scope)) ?? true)) return [];
    return this.#world.roleBindings
      .filter(({ identity, parent }) => identity === asker.identity && path.includes(parent as Place))
      .flatMap(({ role }) => role.capabilities)
      .filter((one) => narrowings.every(({ capabilities: named }) => named?.includes(one) ?? true));
  }

  #may(capability: Capability, place: Place): boolean {
    return this.#held(place).includes(capability);
  }

  #sees(place: Place): boolean {
    return this.#held(place).length > 0;
  }

  #demand(capability: Capability, place: Place): void {
    if (this.#may(capability, place)) return;
    throw new Refusal(this.#sees(place) ? Code.permissionDenied : Code.notFound);
  }

  #demandAll(needed: readonly Capability[], place: Place): void {
    if (!needed.every((capability) => this.#may(capability, place))) throw new Refusal(Code.permissionDenied);
  }

  #find<K extends Kind>(kind: K, { uid }: Place): World[K][number] {
    const found = this.#world[kind].find((one) => one.uid === uid);
    if (found === undefined) throw new Refusal(Code.notFound);
    return found;
  }

  listed(kind: Kind, filter: Filter): string[] {
    const holders: readonly Kind[] = kind === "tags" ? ["groups", "repos"] : ["groups"];
    for (const place of [filter.descendantsOf, filter.childrenOf])
      if (place !== undefined) this.#refuseOtherKinds(holders, place);
    for (const place of filter.ids ?? []) this.#refuseOtherKinds([kind], place);
    const inFilter = (one: Place) =>
      (filter.descendantsOf === undefined || isBelow(one, filter.descendantsOf)) &&
      (filter.childrenOf === undefined || one.parent?.uid === filter.childrenOf.uid) &&
      (filter.ancestorsOf === undefined || isBelow(byUid(filter.ancestorsOf, this.#world), one)) &&
      (filter.inRoot === undefined || one.parent === undefined) &&
      (filter.ids === undefined || filter.ids.some(({ uid }) => uid === one.uid));
    return this.#world[kind]
      .filter((one) => (kind === "roles" && one.parent === undefined) || this.#may(neededCapabilities[kind].list, one))
      .filter(inFilter)
      .map(({ uid }) => uid)
      .toSorted();
  }

  listedV1(kind: Kind, filter: Filter, id: Place | undefined): string[] {
    if (id !== undefined) this.#refuseOtherKinds([kind], id);
    return this.listed(kind, filter).filter((uid) => id === undefined || uid === id.uid);
  }

  get(kind: Kind, target: Place): void {
    const found = this.#find(kind, target);
    if (kind === "roles" && found.parent === undefined) return;
    this.#demand(neededCapabilities[kind].list, found);
  }

  create(kind: ChangeableKind, parent: Place | undefined, content: Content): void {
    if (parent === undefined) {
      if (this.#asker.kind !== "admin") throw new Refusal(Code.permissionDenied);
      return;
    }
    const at = this.#find(kind === "tags" ? "repos" : "groups", parent);
    const isThere = this.#world.tags.some((tag) => kind === "tags" && tag.name === content.name && tag.parent === at);
    this.#demand(neededCapabilities[kind][isThere ? "update" : "create"], at);
    switch (kind) {
      case "roles":
        return this.#demandAll(content.capabilities ?? [], at);
      case "roleBindings":
        return this.#checkBinding(at, content.identity as Place, content.role as Place);
      case "identityProviders":
      case "groupInvites":
        this.#demand(bind, at);
        return this.#checkGiven(at, content.role as Place);
      case "accountAssociations":
        if (this.#world.accountAssociations.some((one) => one.parent === at)) throw new Refusal(Code.alreadyExists);
        return;
      case "groups":
      case "identities":
      case "repos":
      case "tags":
        return;
    }
  }

  update(kind: ChangeableKind, target: Place, content: Content): void {
    if (kind === "roles" && isBuiltin(target, this.#world)) throw new Refusal(Code.permissionDenied);
    const found = this.#find(kind, target);
    this.#demand(kind === "roleBindings" ? rebind : neededCapabilities[kind].update, found);
    const group = found.parent as Place;
    switch (kind) {
      case "identities":
        if (content.assumption) this.#checkHoldsWhatItGives(found);
        return;
      case "roles": {
        const before = (found as Role).capabilities;
        return this.#demandAll(
          (content.capabilities ?? []).filter((one) => !before.includes(one)),
          group,
        );
      }
      case "roleBindings":
        return this.#checkBinding(group, content.identity as Place, content.role as Place);
      case "identityProviders":
        this.#demand(bind, group);
        return this.#checkGiven(group, content.role as Place);
      case "groupInvites":
        this.#demand(bind, group);
        return this.#checkGiven(group, (found as Binding).role);
      case "groups":
      case "accountAssociations":
      case "repos":
      case "tags":
        return;
    }
  }

  delete(kind: ChangeableKind, target: Place): void {
    const world = this.#world;
    if (kind === "roles" && isBuiltin(target, world)) throw new Refusal(Code.permissionDenied);
    if (kind === "roleBindings" && !world.roleBindings.some(({ uid }) => uid === target.uid)) {
      // One that never was: success for whoever might have deleted it.
      const { parent } = byUid(target, world);
      if (parent === undefined) throw new Refusal(Code.notFound);
      return this.#demand(unbind, parent);
    }
    const found = this.#find(kind, target);
    this.#demand(neededCapabilities[kind].delete, found);
    const inside = (one: Place) => one.parent === found;
    const uses = ({ role }: { role: Role }) => role === found;
    const alive = world.groupInvites.filter(({ expired }) => !expired);
    const children = [
      ...[world.repos, world.groups, world.identities, world.roles, world.roleBindings].flat(),
      ...[world.identityProviders, world.accountAssociations, alive, world.tags, world.advisories].flat(),
    ];
    const holds = (kind === "groups" || kind === "repos") && children.some(inside);
    const used = kind === "roles" && [...world.roleBindings, ...world.identityProviders, ...alive].some(uses);
    if (holds || used) throw new Refusal(Code.failedPrecondition);
  }

  /** Nobody can give what they do not have, nor to an identity that they cannot see. */
  #checkBinding(group: Place, identity: Place, role: Place): void {
    if (byUid(identity, this.#world).parent === undefined) throw new Refusal(Code.invalidArgument);
    this.#checkReference("identities", identity);
    this.#checkGiven(group, role);
  }

  #checkGiven(group: Place, role: Place): void {
    this.#checkReference("roles", role);
    const given = this.#find("roles", role);
    // A custom role binds in its own group's subtree only.
    if (given.parent !== undefined && !pathOf(group).includes(given.parent)) throw new Refusal(Code.invalidArgument);
    this.#demandAll(given.capabilities, group);
  }

  /** What a body names must be there, seen, and of the sort that is needed. */
  #checkReference(kind: Kind, place: Place): void {
    const isThere = (one: Kind) => this.#world[one].some(({ uid }) => uid === place.uid);
    const isPublic = kind === "roles" && isBuiltin(place, this.#world);
    if (isThere(kind) && (isPublic || this.#sees(place))) return;
    const isOther = (Object.keys(this.#world) as Kind[]).some(isThere);
    throw new Refusal(isOther && this.#sees(place) ? Code.invalidArgument : Code.notFound);
  }

  /** A filter may name what is not there, but not what the asker sees to be something else, nor what cannot be. */
  #refuseOtherKinds(wanted: readonly Kind[], place: Place): void {
    const isThere = (one: Kind) => this.#world[one].some(({ uid }) => uid === place.uid);
    const mayBeRoot: readonly Kind[] = ["groups", "roles", "accountAssociations"];
    if (byUid(place, this.#world).parent === undefined && !wanted.some((one) => mayBeRoot.includes(one)))
      throw new Refusal(Code.invalidArgument);
    if (wanted.some(isThere)) return;
    // An association has the uid of its group, which is no mistake where it has none.
    if (wanted.includes("accountAssociations") && isThere("groups")) return;
    const isOther = (Object.keys(this.#world) as Kind[]).some(isThere);
    if (isOther && (isBuiltin(place, this.#world) || this.#sees(place))) throw new Refusal(Code.invalidArgument);
  }

  /** Changing how an identity is assumed needs every capability that its bindings give it, where they give it. */
  #checkHoldsWhatItGives(identity: Place): void {
    for (const binding of this.#world.roleBindings)
      if (binding.identity === identity) this.#demandAll(binding.role.capabilities, binding.parent as Place);
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

/** An association has the uid of its group: who says the one says the other. */
function byUid(place: Place, { groups }: World): Place {
  return groups.find(({ uid }) => uid === place.uid) ?? place;
}
