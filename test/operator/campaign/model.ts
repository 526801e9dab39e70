import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { accountsOf, collectionOf, groupUidOf, withoutMarker } from "#test/support/harness/comparison.ts";
import { type AnyMusterKind, conditionOf, isReady } from "#test/support/harness/muster-objects.ts";
import type { PlatformCollection, PlatformResource } from "#test/support/harness/platform-admin.ts";
import { findClientSecretViolations } from "./client-secrets.ts";
import type { Journal } from "./journal.ts";
import type { Findings } from "./findings.ts";
import { findInviteViolations, isUndecidedInvite } from "./invites.ts";
import { findHandMadeViolations } from "./made-by-hand.ts";
import type { Picture } from "./picture.ts";
import { managedCollections, permittedRoles, type World } from "./world.ts";

/**
 * Compares the platform with what the objects that are left declare. Independent of the operator's code: it knows the
 * specs, the labels of the namespaces, what the Tenants permit, and what the campaign itself did on the platform.
 *
 * - *U*: an object has at most one resource, and no two objects have the same one.
 * - *L*: every resource of ours has an object, or is reported as an orphan.
 * - *E*: a grant ends with the last object that declares it, at the time that the object said last.
 * - *C*, *S*: an object that can be Ready is, and its resource matches it; one that is denied or expired is not.
 *
 * `made-by-hand.ts`, `invites.ts` and `client-secrets.ts` have the others.
 */
export function check(world: World, journal: Journal, picture: Picture): Findings {
  return new Check(world, journal, picture).run();
}

/** The uid of a resource is in a status at most this long after the resource was created, unless something is disturbed. */
const recordedMs = 10_000;

type Expected = "ready" | "unready" | "any";

class Check {
  readonly #world: World;
  readonly #journal: Journal;
  readonly #picture: Picture;
  readonly #byName: ReadonlyMap<string, KubeObject>;
  readonly #expected = new Map<KubeObject, Expected>();
  readonly #violations: string[] = [];
  readonly #reported: string[] = [];
  /** How many resources were compared with an object, by their collection. */
  readonly #compared: Record<string, number> = {};

  constructor(world: World, journal: Journal, picture: Picture) {
    this.#world = world;
    this.#journal = journal;
    this.#picture = picture;
    this.#byName = new Map(picture.objects.map((object) => [nameOf(object), object]));
  }

  run(): Findings {
    for (const object of this.#picture.objects) this.#checkObject(object);
    this.#checkRivals();
    for (const collection of managedCollections) this.#checkResources(collection);
    for (const find of [findInviteViolations, findClientSecretViolations, findHandMadeViolations]) {
      const { violations, reported, compared } = find(this.#journal, this.#picture);
      this.#violations.push(...violations);
      this.#reported.push(...reported);
      Object.assign(this.#compared, compared);
    }
    return { violations: this.#violations, reported: this.#reported, compared: this.#compared };
  }

  #resources(collection: PlatformCollection): readonly PlatformResource[] {
    return this.#picture.resources[collection];
  }

  #object(kind: AnyMusterKind, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#byName.get(`${kind} ${namespace}/${name}`);
  }

  #checkObject(object: KubeObject): void {
    const expected = this.#expect(object);
    const ready = conditionOf(object, "Ready");
    const state = `${ready?.status} ${ready?.reason}: ${ready?.message}`;
    const where = `${nameOf(object)} (${object["status"]?.uid})`;
    if (expected === "unready" && ready?.status === "True") this.#violations.push(`S: ${where} is Ready`);
    if (expected === "ready" && !isReady(object)) this.#violations.push(`C: ${where} is not Ready: ${state}`);
    if (object.metadata.deletionTimestamp === undefined && isReady(object)) this.#checkMatch(object, where);
  }

  #checkMatch(object: KubeObject, where: string): void {
    const { spec, status } = object as KubeObject & { spec: Spec; status?: { uid?: string } };
    const collection = collectionOf[object.kind as AnyMusterKind];
    const resource = this.#resources(collection).find(({ uid }) => uid === status?.uid);
    if (resource === undefined) {
      this.#violations.push(`S: ${where} is Ready and has no resource`);
      return;
    }
    this.#compared[collection] = (this.#compared[collection] ?? 0) + 1;
    const wrong = (field: string, expected: unknown, actual: unknown) => {
      if (!isDeepStrictEqual(expected, actual))
        this.#violations.push(
          `S: ${where} is Ready and its ${field} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`,
        );
    };
    wrong("parent", this.#parentOf(object), groupUidOf(object.kind as AnyMusterKind, resource.uid));
    wrong("role", this.#roleOf(object), resource["role"]?.uid);
    if (object.kind === "RoleBinding") {
      wrong("identity", this.#identityOf(object), resource["identity"]?.uid);
      return;
    }
    if (object.kind === "GroupInvite") {
      wrong("e-mail address", spec.email, resource["email"]);
      wrong("singleUse", spec.singleUse, resource["singleUse"]);
      return;
    }
    wrong("name", spec.name ?? object.metadata.name, resource.name);
    if (spec.description !== undefined) wrong("description", spec.description, withoutMarker(resource.description));
    wrong("accounts", accountsOf(object["spec"]), accountsOf(resource));
    wrong("issuer", spec.issuer, resource["oidc"]?.issuer);
    wrong("client", spec.clientId, resource["oidc"]?.clientId);
    wrong("default role", this.#uidOfRole(object, spec.defaultRoleRef), resource["defaultRole"]);
    wrong("capabilities", spec.capabilities?.toSorted(), resource["capabilities"]?.toSorted());
    for (const [field, value] of Object.entries(this.#claimsOf(object)))
      wrong(`claimMatch.${field}`, value, resource["claimMatch"]?.[field]);
  }

  /** The claims with which the identity of an object is assumed. */
  #claimsOf({ spec, metadata }: KubeObject): object {
    const { claimMatch, serviceAccountRef: account } = spec as Spec;
    if (account === undefined) return claimMatch ?? {};
    const subject = `system:serviceaccount:${metadata.namespace}:${account.name}`;
    return { issuer: this.#world.system.controlPlane.url, subject };
  }

  /** When the grant of an object ended, in milliseconds since the epoch; undefined if it lasts. */
  #endOf({ spec, metadata }: KubeObject): number | undefined {
    if (spec.expiresAt === undefined) return undefined;
    const at = isTime(spec.expiresAt) ? Date.parse(spec.expiresAt) : this.#journal.expiryOf(metadata);
    return at !== undefined && at <= Date.now() ? at : undefined;
  }

  /** What must be true of an object's Ready condition once everything has settled. */
  #expect(object: KubeObject): Expected {
    const known = this.#expected.get(object);
    if (known !== undefined) return known;
    // A cycle of references is never Ready, and never asked for: parents are immutable.
    this.#expected.set(object, "any");
    const expected = this.#judge(object);
    this.#expected.set(object, expected);
    return expected;
  }

  #judge(object: KubeObject): Expected {
    const { spec, metadata } = object as KubeObject & { spec: Spec };
    if (metadata.deletionTimestamp !== undefined) return "any";
    if (spec.expiresAt !== undefined && (!isTime(spec.expiresAt) || this.#endOf(object) !== undefined))
      return "unready";
    const team = this.#picture.teams.get(metadata.namespace ?? "");
    if (team === undefined) return "any";
    const references = [
      ["Group", spec.parentRef],
      ["Group", spec.groupRef],
      ["Identity", spec.identityRef],
      ["Role", spec.roleRef?.kind === "Role" ? spec.roleRef : undefined],
    ] as const;
    for (const [kind, reference] of references) {
      if (reference === undefined) continue;
      const referenced = this.#object(kind, metadata.namespace, reference.name);
      if (referenced === undefined || referenced.metadata.deletionTimestamp !== undefined) return "any";
      if (this.#expect(referenced) !== "ready") return "any";
    }
    for (const role of [spec.roleRef, spec.defaultRoleRef])
      if (role !== undefined && role.kind === undefined && !permittedRoles.includes(role.name)) return "unready";
    const parent = this.#parentOf(object);
    const permitted = this.#world.groupsOf(team);
    if (parent === undefined) return "any";
    if (!permitted.some((group) => parent === group || parent.startsWith(`${group}/`))) return "unready";
    // A role of a group can be granted in that group and below it.
    const role = spec.roleRef?.kind === "Role" ? this.#roleOf(object) : undefined;
    if (role !== undefined && !`${parent}/`.startsWith(`${groupUidOf("Role", role)}/`)) return "unready";
    const recorded: string | undefined = object["status"]?.uid;
    if (isObserving(object)) return this.#observable(object, parent).length === 1 ? "ready" : "any";
    if (object.kind !== "AccountAssociation" && this.#mustStay(object)) return "unready";
    if (this.#journal.held.has(recorded ?? "")) return "any";
    const secret = spec.secretRef ?? spec.clientSecretRef;
    if (secret !== undefined && !this.#journal.isPermitted(metadata.namespace, secret.name)) return "any";
    if (object.kind === "GroupInvite" && isUndecidedInvite(object, this.#journal, parent)) return "any";
    if (this.#hasRival(object) || this.#isNameTaken(object, parent, recorded)) return "any";
    // After three corrections within an hour, the operator leaves a resource to the other writer.
    if (conditionOf(object, "Ready")?.reason === "DriftDetected" && this.#journal.changesByHand(object.metadata) >= 2)
      return "any";
    return "ready";
  }

  #parentOf({ spec, metadata }: KubeObject): string | undefined {
    const uid: string | undefined = spec.parentUid ?? spec.groupUid;
    const reference = spec.parentRef ?? spec.groupRef;
    return uid ?? this.#object("Group", metadata.namespace, reference?.name)?.["status"]?.uid;
  }

  #identityOf({ spec, metadata }: KubeObject): string | undefined {
    return spec.identityUid ?? this.#object("Identity", metadata.namespace, spec.identityRef?.name)?.["status"]?.uid;
  }

  /** The uid of the role that the object grants. */
  #roleOf(object: KubeObject): string | undefined {
    return this.#uidOfRole(object, object["spec"].roleRef);
  }

  #uidOfRole({ metadata }: KubeObject, reference: RoleReference | undefined): string | undefined {
    if (reference?.kind !== "Role") return this.#world.fixed.roles.get(reference?.name ?? "");
    return this.#object("Role", metadata.namespace, reference.name)?.["status"]?.uid;
  }

  /** What an object wants alone: a name below a parent, a grant, or the place of the only one in a group. */
  #wanted(object: KubeObject): string | undefined {
    const parent = this.#parentOf(object);
    if (parent === undefined) return undefined;
    if (object.kind === "AccountAssociation") return `${object.kind} ${parent}`;
    // Equal invites are legitimate.
    if (object.kind === "GroupInvite") return undefined;
    if (object.kind !== "RoleBinding") return `${object.kind} ${parent} ${object["spec"].name ?? object.metadata.name}`;
    const identity = this.#identityOf(object);
    return identity === undefined ? undefined : `${parent} ${identity} ${this.#roleOf(object)}`;
  }

  #rivalsOf(object: KubeObject): readonly KubeObject[] {
    const wanted = this.#competes(object) ? this.#wanted(object) : undefined;
    if (wanted === undefined) return [];
    return this.#picture.objects.filter(
      (other) => other.kind === object.kind && this.#competes(other) && this.#wanted(other) === wanted,
    );
  }

  /** An object that only observes, or has ended, keeps nothing from others. */
  #competes(object: KubeObject): boolean {
    const { expiresAt } = object["spec"] as Spec;
    return (
      !isObserving(object) && (expiresAt === undefined || (isTime(expiresAt) && this.#endOf(object) === undefined))
    );
  }

  #hasRival(object: KubeObject): boolean {
    return this.#rivalsOf(object).length > 1;
  }

  /** The resource that the object records is another client's. */
  #mustStay({ kind, status }: KubeObject): boolean {
    return this.#journal.mustStay(collectionOf[kind as AnyMusterKind], status?.uid ?? "");
  }

  /** The resources that an object means which only observes. */
  #observable(object: KubeObject, parent: string): readonly PlatformResource[] {
    const kind = object.kind as AnyMusterKind;
    const name: string = object["spec"].name ?? object.metadata.name;
    return this.#resources(collectionOf[kind]).filter((resource) =>
      kind === "RoleBinding"
        ? this.#isEqual(object, resource)
        : resource.name === name &&
          groupUidOf(kind, resource.uid) === parent &&
          // What differs is only reported.
          [undefined, withoutMarker(resource.description)].includes(object["spec"].description),
    );
  }

  /**
   * Of several objects that want the same, at most one is Ready. What nobody governs keeps no grant from others: they create
   * one of their own.
   */
  #checkRivals(): void {
    const wasUngoverned = ({ kind, metadata: { namespace = "" } }: KubeObject) =>
      kind === "RoleBinding" && this.#journal.ungoverned.has(namespace);
    for (const object of this.#picture.objects) {
      const ready = this.#rivalsOf(object).filter(
        (one) => one.metadata.deletionTimestamp === undefined && isReady(one) && !wasUngoverned(one),
      );
      if (ready.length > 1 && ready[0] === object)
        this.#violations.push(`U: ${ready.map(nameOf).join(" and ")} are Ready and want the same`);
    }
  }

  /** Another resource has the name that the object wants, and may keep it. */
  #isNameTaken(object: KubeObject, parent: string, recorded: string | undefined): boolean {
    if (object.kind === "AccountAssociation")
      return this.#resources("accountAssociations").some((one) => one.uid === parent && !carries(one, object));
    if (object.kind === "RoleBinding" || object.kind === "GroupInvite") return false;
    const name: string = object["spec"].name ?? object.metadata.name;
    return this.#resources(collectionOf[object.kind as AnyMusterKind]).some(
      (resource) => resource.name === name && resource.uid !== recorded && resource.uid.startsWith(`${parent}/`),
    );
  }

  #checkResources(collection: PlatformCollection): void {
    const objects = this.#picture.objects.filter(({ kind }) => collectionOf[kind as AnyMusterKind] === collection);
    const found = new Map<KubeObject, string[]>();
    for (const resource of this.#resources(collection)) {
      const { uid } = resource;
      if (this.#world.fixedResources.has(`${collection} ${uid}`)) continue;
      const recording = objects.filter(({ status }) => status?.uid === uid);
      const claiming = recording.filter(({ status }) => status?.management !== "Observed");
      if (claiming.length > 1) this.#violations.push(`U: ${claiming.map(nameOf).join(" and ")} record ${uid}`);
      const marker = /\[muster:([0-9a-f]{8})[-+]/.exec(resource.description ?? "");
      const marked =
        marker?.[1] === hash(this.#picture.ownerId, 8)
          ? objects.find((object) => carries(resource, object))
          : undefined;
      const equal = collection === "roleBindings" ? objects.filter((object) => this.#isEqual(object, resource)) : [];
      const [owner] = [...claiming, ...(marked === undefined ? [] : [marked]), ...equal];
      if (this.#journal.handMadeWith(collection, uid) !== undefined) continue;
      this.#checkEnd(resource, [...claiming, ...equal]);
      if (owner === undefined) this.#noteLeftover(collection, resource);
      else found.set(owner, [...(found.get(owner) ?? []), uid]);
    }
    for (const [object, uids] of found)
      if (uids.length > 1)
        this.#violations.push(`U: ${nameOf(object)} has ${uids.length} resources: ${uids.join(", ")}`);
  }

  /** @param declaring the objects that declare the grant of the resource, or manage it */
  #checkEnd({ uid, identity, createTime }: PlatformResource, declaring: readonly KubeObject[]): void {
    const ends = declaring.filter(({ kind }) => kind === "RoleBinding").map((object) => this.#endOf(object));
    if (ends.length === 0 || !declaring.every((object) => this.#mayEnd(object))) return;
    const last = Math.max(...ends.map((end) => end ?? Infinity));
    if (last > Date.now()) return;
    const text = `${declaring.map(nameOf).join(" and ")} ended at ${new Date(last).toISOString()}, and ${uid} still grants`;
    // Nobody can tell who made an unrecorded grant to an identity that is another owner's by now: an event names it.
    const isUnproven =
      this.#journal.mustStay("identities", identity?.uid ?? "") && this.#picture.reportedOrphans.has(uid);
    if (isUnproven && this.#journal.wasDisturbed(Date.parse(createTime), recordedMs)) this.#reported.push(text);
    else this.#violations.push(`E: ${text}`);
  }

  /** Whether the Tenant lets the object end its grant. */
  #mayEnd(object: KubeObject): boolean {
    const team = this.#picture.teams.get(object.metadata.namespace ?? "");
    const parent = this.#parentOf(object);
    if (team === undefined || parent === undefined || isObserving(object)) return false;
    return this.#world.groupsOf(team).some((group) => `${parent}/`.startsWith(`${group}/`));
  }

  #isEqual(object: KubeObject, resource: PlatformResource): boolean {
    return (
      this.#parentOf(object) === resource.uid.slice(0, resource.uid.lastIndexOf("/")) &&
      this.#identityOf(object) === resource["identity"]?.uid &&
      this.#roleOf(object) === resource["role"]?.uid
    );
  }

  #noteLeftover(collection: PlatformCollection, resource: PlatformResource): void {
    // An invite has no marker: see `invites.ts`.
    if (collection === "groupInvites") return;
    const { uid, name, description, createTime } = resource;
    const text = `${collection} ${uid} (${name}, ${description}, ${resource["identity"]?.name} ${resource["role"]?.name}) has no object`;
    const isMarked = /\[muster:/.test(description ?? "");
    // Left on purpose, as an event may say, too.
    if (!isMarked && this.#journal.mayBeLeft(name)) return;
    if (this.#picture.reportedOrphans.has(uid)) {
      // Only a process that dies, or cannot write a status, may lose what it created; or one that finds an equal grant by somebody
      // beside its own, after the status was lost.
      if (this.#journal.wasDisturbed(Date.parse(createTime), recordedMs) || this.#journal.hasTwinByHand(resource))
        this.#reported.push(text);
      else this.#violations.push(`L: ${text}, and nothing went wrong when it was created`);
    } else this.#violations.push(`L: ${text}`);
  }
}

interface RoleReference {
  readonly kind?: "Role";
  readonly name: string;
}

interface Spec {
  readonly name?: string;
  readonly description?: string;
  readonly claimMatch?: object;
  readonly serviceAccountRef?: { readonly name: string };
  readonly parentRef?: { readonly name: string };
  readonly groupRef?: { readonly name: string };
  readonly identityRef?: { readonly name: string };
  readonly roleRef?: RoleReference;
  readonly defaultRoleRef?: RoleReference;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecretRef?: { readonly name: string };
  readonly secretRef?: { readonly name: string };
  readonly capabilities?: readonly string[];
  readonly email?: string;
  readonly singleUse?: boolean;
  readonly expiresAt?: string;
}

/** Whether the resource carries the marker of the object, whoever its owner is. */
export function carries({ description }: PlatformResource, { kind, metadata }: KubeObject): boolean {
  const marker = /\[muster:[0-9a-f]{8}[-+]([0-9a-f]{16})\]/.exec(description ?? "");
  return marker?.[1] === hash(`${kind}\0${metadata.namespace}\0${metadata.name}`, 16);
}

/** Whether the text in `expiresAt` is a time that can be read: the API server accepts some that cannot. */
function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function isObserving({ spec }: KubeObject): boolean {
  return spec.policy?.management === "Observe";
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

function hash(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
