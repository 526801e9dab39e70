import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import { startSentence } from "#src/text/sentence.ts";
import { shortList } from "#src/text/short-list.ts";

// To whom an external resource belongs, and where it is.

export function claimedByOther(noun: string, uid: string, other: string): string {
  return `The ${noun} ${uid} belongs to ${other}. Delete one of the two objects: deleting this one leaves the platform unchanged, and deleting the other with spec.policy.deletion: Orphan lets this one adopt the ${noun}, if the Tenant allows both.`;
}

export function equalWantedBy(noun: string, other: string): string {
  return `${startSentence(other)} already declares an equal ${noun} and takes precedence. Delete this object; the platform is left unchanged. If the other object is deleted, this one takes its place.`;
}

export function protectedResource(noun: string, uid: string, because: "root" | "credential"): string {
  const why =
    because === "root"
      ? "is a root group, or a group below which the operator or the Tenant works"
      : "is an identity that Muster uses as a credential, or a role or role binding of one";
  return `The ${noun} ${uid} ${why}, so it is never written. Delete this object; the platform is left unchanged.`;
}

/** Of an identity for emergencies it is not disclosed to editors of a namespace that it is one, nor which Tenant lists it. */
export function neverAdopted(noun: string, uid: string, because: "breakGlass" | "otherOwner"): string {
  const why =
    because === "breakGlass"
      ? "is an identity that an administrator protects, or belongs to one"
      : "belongs to an identity that another Muster installation manages";
  return `The ${noun} ${uid} ${why}, so it is never adopted. Delete this object; the platform is left unchanged.`;
}

/** @param owner the hash of the other owner; undefined if the marker is that of another object of this owner. */
export function foreignMarker(noun: string, uid: string, owner: string | undefined): string {
  if (owner === undefined)
    return `The ${noun} ${uid} carries the marker of another object of this cluster. Delete this object; the platform is left unchanged. To manage the ${noun} here instead, delete the other object with spec.policy.deletion: Orphan, or remove the marker from the description if that object no longer exists.`;
  return `The ${noun} ${uid} carries the marker of another Muster installation (owner ${owner}). Delete this object; the platform is left unchanged. To manage the ${noun} here instead, delete its object there with spec.policy.deletion: Orphan. If this cluster replaces that one, ask an administrator to start the operator with its owner id (--owner-id or --previous-owner-id).`;
}

export function noRoomForMarker(noun: string, uid: string): string {
  return `spec.description: the description of the ${noun} ${uid} leaves no room for Muster's marker, which takes 35 of its 512 characters. Set spec.description to a text of at most 477 characters.`;
}

export function identityHoldsMore(uid: string): string {
  return `The identity ${uid} holds a role that this Tenant does not permit, or holds it in a group outside of the Tenant, so it is not adopted: who may assume the identity would get that role. Remove those role bindings on the platform, or have the identity declared where they are permitted.`;
}

/**
 * @param path the field of the spec that says who may assume the identity.
 * @param shown the uids of those of the role bindings that the reader may see. @param count how many there are, at least one.
 */
export function identityGivenMore(path: string, uid: string, shown: readonly string[], count: number): string {
  const others = count > shown.length;
  const where =
    shown.length === 0
      ? "The role bindings are outside of the groups of the Tenant."
      : `See role binding ${shortList(shown)}${others ? ", and others outside of the groups of the Tenant" : ""}.`;
  return `${path}: the platform keeps what the identity ${uid} has, because the identity holds roles that this Tenant does not permit, or holds them in groups outside of the Tenant, and no RoleBinding object of this cluster declares them: whoever may assume the identity would get these roles. ${where} Undo the change; or ask an administrator to remove the role bindings, to permit their roles and groups in the Tenant, or to make the change on the platform.`;
}

/** @param bindings the uids of role bindings of the role, at least one. */
export function roleHeldByOthers(uid: string, bindings: readonly string[]): string {
  return `The role ${uid} is bound to an identity that this Tenant may not use (outside of its groups, a credential, for emergencies, or managed by another Muster installation), so it is not adopted: a change would change what that identity can do. See role binding ${shortList(bindings)}. Bind another role to that identity on the platform, for example a built-in one, or delete this object.`;
}

/** @param excess capabilities, at least one. */
export function rolePermitsItself(uid: string, excess: readonly string[]): string {
  return `spec.capabilities: no role in spec.roles of the Tenant but the role ${uid} itself has ${shortList(excess)}, and a role permits nothing once an object manages it, so it is not adopted. Ask an administrator to add another role that has it to spec.roles of the Tenant, or set spec.policy.management: Observe.`;
}

export function grantDiffers(noun: string, uid: string): string {
  return `spec.uid: the ${noun} ${uid} does not grant this role to this identity, and it is never changed. The fields are immutable: create another object that describes the ${noun}, or one without spec.uid to have another created.`;
}

export function grantChangedOutside(noun: string, uid: string): string {
  return `The ${noun} ${uid} was changed outside of Kubernetes and grants something else now. No other is created because spec.policy.drift is Report; set it to Correct, or request a reconcile with the annotation ${reconcileRequestedAtAnnotation}.`;
}

export function adopting(noun: string, uid: string): string {
  return `The ${noun} ${uid} is being adopted.`;
}

/** @param owner the hash of the other owner; undefined if the resource belongs to another object of this owner. */
export function anotherOwner(owner: string | undefined): string {
  return owner === undefined ? "another object of this cluster" : `another Muster installation (owner ${owner})`;
}

/** The name of another object. An object in another namespace is not named, because not everybody may see it. */
export function otherObject(kind: string, namespace: string | undefined, key: string): string {
  const [otherNamespace, name] = key.split("/");
  if (otherNamespace === namespace) return `${kind} ${name}`;
  return `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind} in another namespace`;
}

export function uidNotBelowParent(noun: string, uid: string, parent: string): string {
  return `spec.uid: the ${noun} ${uid} is not directly below ${parent}, the group that the spec names. Both fields are immutable: create another object that names the group above the uid.`;
}

export function parentChanged(noun: string, uid: string, parent: string): string {
  return `The parent is now ${parent}, but the ${noun} ${uid} still exists below the previous one. Delete it on the platform; Muster then creates it below the new parent.`;
}

export function adopted(noun: string, uid: string): string {
  return `Manages the existing ${noun} ${uid}.`;
}
