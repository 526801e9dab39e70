import type { AccessModel } from "#src/access/access-model.ts";
import { groupOf } from "#src/access/access-model.ts";
import type { Assumption, KnownBinding } from "#src/access/access-state.ts";
import { dottedCapability } from "#src/access/capability-name.ts";
import { groupPath } from "#src/access/group-path.ts";
import { distinctLabels } from "#src/access/distinct-labels.ts";
import type { Unread } from "#src/access/unread.ts";
import { type ShownPerson, withPerson } from "#src/commands/output/person-text.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { Declaration, Declarations } from "./declarations.ts";

/** By which object something is declared, for every output. */
export type DeclaredBy = Declaration | "undeclared" | "unknown";

export interface GroupView {
  readonly uid: string;
  /**
   * Its names from the root down; its uid, if the caller can read none of them. If other groups have the same path, it ends with the
   * last part of the uid.
   */
  readonly path: string;
  readonly declaredBy: DeclaredBy;
}

export interface IdentityView {
  readonly uid: string;
  /** As that of a group. */
  readonly path: string;
  /** Who logs in as it; absent if it is not a person's, or nothing is known. */
  readonly person?: ShownPerson;
  /** Absent if the identity cannot be read. */
  readonly assumedBy?: Assumption;
  /** RFC 3339. */
  readonly lastSeenTime?: string;
  readonly declaredBy: DeclaredBy;
}

/** A role binding with what it connects: a link of the chain from an identity to what it may do. */
export interface LinkView {
  readonly roleBinding: { readonly uid: string; readonly createTime?: string; readonly declaredBy: DeclaredBy };
  /** `declaredBy` is absent for a built-in role. */
  readonly role: {
    readonly uid: string;
    /** Of a custom role with the name of another role, built in or not, with the last part of the uid. */
    readonly name: string;
    readonly builtIn: boolean;
    readonly declaredBy?: DeclaredBy;
  };
  readonly group: GroupView;
}

export interface UnreadView {
  readonly what: Unread["what"] | "auditRecords" | "group";
  readonly uid: string;
  /** What is unknown, why, and what would have to be granted. */
  readonly message: string;
}

/** Shows what a model has, with names and with the objects that declare it. */
export class AccessView {
  readonly model: AccessModel;
  readonly #declarations: Declarations;
  readonly #groupPaths: ReadonlyMap<string, string>;
  readonly #identityPaths: ReadonlyMap<string, string>;
  readonly #roleNames: ReadonlyMap<string, string>;

  constructor(model: AccessModel, declarations: Declarations) {
    this.model = model;
    this.#declarations = declarations;
    const { groups, identities, roles, state } = model;
    const named = new Map(state.bindings.map(({ identity: { name, uid } }) => [uid, name]));
    for (const { name, uid } of identities.values()) named.set(uid, name);
    this.#groupPaths = distinctLabels([...groups.keys()].map((uid) => [uid, groupPath(model, uid)]));
    this.#identityPaths = distinctLabels([...named].map(([uid, name]) => [uid, this.#pathOf(uid, name)]));
    this.#roleNames = distinctLabels([...roles.values()].map(({ name, uid }) => [uid, name]));
  }

  group(uid: string): GroupView {
    const path = this.#groupPaths.get(uid) ?? groupPath(this.model, uid);
    return { uid, path, declaredBy: this.declaredBy(uid) };
  }

  #pathOf(identity: string, name: string): string {
    return `${groupPath(this.model, parentOf(identity) ?? "")}/${name}`;
  }

  /** A built-in role keeps its name, whatever other roles are called. */
  roleName(uid: string): string | undefined {
    return parentOf(uid) === undefined ? this.model.roles.get(uid)?.name : this.#roleNames.get(uid);
  }

  /** @param named how a role binding names it, if the identity itself cannot be read */
  identity(uid: string, named?: string): IdentityView {
    const known = this.model.identities.get(uid);
    const path = this.#identityPaths.get(uid) ?? (named === undefined ? uid : this.#pathOf(uid, named));
    const { assumedBy, lastSeenTime, person } = known ?? {};
    return {
      uid,
      path,
      ...(person === undefined ? {} : { person }),
      ...(assumedBy === undefined ? {} : { assumedBy }),
      ...(lastSeenTime === undefined ? {} : { lastSeenTime }),
      declaredBy: this.declaredBy(uid),
    };
  }

  link(binding: KnownBinding): LinkView {
    const { createTime, role, uid } = binding;
    const builtIn = parentOf(role.uid) === undefined;
    return {
      roleBinding: { uid, ...(createTime === undefined ? {} : { createTime }), declaredBy: this.declaredBy(uid) },
      role: {
        uid: role.uid,
        name: this.roleName(role.uid) ?? role.name,
        builtIn,
        ...(builtIn ? {} : { declaredBy: this.declaredBy(role.uid) }),
      },
      group: this.group(groupOf(binding)),
    };
  }

  unread(unread: Unread): UnreadView {
    if (unread.what === "roleBindings")
      return {
        what: unread.what,
        uid: unread.group,
        message: `the role bindings of ${this.named(unread.group)} cannot be read: you need role_bindings.list there`,
      };
    if (unread.what === "roleBindingsBelow") {
      const except = unread.except.map((group) => this.named(group)).join(", ");
      return {
        what: unread.what,
        uid: unread.group,
        message: `the role bindings of the groups below ${this.named(unread.group)} cannot be read${except === "" ? "" : `, except in ${except} and below`}: you need role_bindings.list there`,
      };
    }
    if (unread.what !== "role") {
      const [noun, capability] =
        unread.what === "identityProviders"
          ? ["identity providers", "identity_providers.list"]
          : ["invites", "group_invites.list"];
      const where = unread.groups.map((group) => this.named(group)).join(", ");
      return {
        what: unread.what,
        uid: unread.groups.at(-1) ?? "",
        message: `the ${noun} of ${where}${unread.below ? " and below" : ""}, which give roles to people who log in, cannot be read: you need ${capability} there`,
      };
    }
    const where = unread.group === undefined ? "" : ` in ${this.named(unread.group)}`;
    return {
      what: unread.what,
      uid: unread.role,
      message: `the capabilities of the role ${unread.name || unread.role} cannot be read: you need roles.list${where}`,
    };
  }

  /** @param group whose audit records cannot be read */
  unreadRecords(group: string): UnreadView {
    const message = `the audit records of ${this.named(group)} cannot be read: you need audit.list there`;
    return { what: "auditRecords", uid: group, message };
  }

  /** @param group whose audit records cannot be read, which would show that what is elsewhere was used */
  hiddenRecords(group: string): UnreadView {
    const message = `the audit records of ${this.named(group)} cannot be read, where it may have been changed who can assume an identity: such a change needs all that the identity may do, which is therefore not called unused: you need audit.list there`;
    return { what: "auditRecords", uid: group, message };
  }

  /** That a report is about what may not be a group: nothing else in it says that a uid was mistyped. */
  unreadGroup(uid: string): UnreadView {
    return {
      what: "group",
      uid,
      message: `${uid} is not a group that you can read: what is listed applies there if it is one, or a resource in a group`,
    };
  }

  /** Why declarations are unknown; undefined if they are known. */
  get declarationsNote(): string | undefined {
    return this.#declarations.read
      ? undefined
      : `By which objects these are declared is unknown: the cluster was not read (${this.#declarations.reason}).`;
  }

  /** A group by its path and its uid. */
  named(uid: string): string {
    const path = groupPath(this.model, uid);
    return path === uid ? uid : `${path} (${uid})`;
  }

  /** @param uid of a resource of the platform */
  declaredBy(uid: string): DeclaredBy {
    return this.#declarations.of?.get(uid) ?? (this.#declarations.read ? "undeclared" : "unknown");
  }
}

/** How an object is named in a table. */
export function declaredText(declaredBy: DeclaredBy): string {
  if (typeof declaredBy === "string") return declaredBy;
  const { argoCdApplication, expiresAt, fluxKustomization, name, namespace, revision } = declaredBy;
  const at = revision === undefined ? "" : ` at ${shortRevision(revision)}`;
  const details = [
    ...(argoCdApplication === undefined ? [] : [`Argo CD ${argoCdApplication}${at}`]),
    ...(fluxKustomization === undefined ? [] : [`Flux ${fluxKustomization}${at}`]),
    ...(expiresAt === undefined ? [] : [`expires ${expiresAt}`]),
  ];
  return `${namespace}/${name}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}

/** With the first 12 digits of a Git commit; JSON and YAML have all of them. */
function shortRevision(revision: string): string {
  return revision.replace(/\b[0-9a-f]{40}\b/g, (commit) => commit.slice(0, 12));
}

/** An identity in a text: its path, after the person if it is one's. */
export function identityText({ path, person }: Pick<IdentityView, "path" | "person">): string {
  return withPerson(person, path);
}

/** Who can assume an identity, on one line. */
export function assumptionText({ assumedBy }: Pick<IdentityView, "assumedBy">): string {
  if (assumedBy === undefined) return "unknown: it does not exist, or you need identity.list";
  const method = { claimMatch: "", staticKeys: "static keys: ", awsIdentity: "AWS: ", unknown: "an unknown method" };
  return method[assumedBy.method] + assumedBy.conditions.map(({ name, value }) => `${name} ${value}`).join(", ");
}

/** Capabilities by their dotted names, in alphabetical order. */
export function dottedNames(capabilities: Iterable<string>): readonly string[] {
  return [...capabilities].map(dottedCapability).toSorted();
}
