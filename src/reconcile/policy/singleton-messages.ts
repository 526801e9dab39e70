import { sentence, startSentence } from "#src/text/sentence.ts";
import type * as absenceMessages from "./absence-messages.ts";
import type * as nameMessages from "./name-messages.ts";
import type * as platformMessages from "./platform-messages.ts";
import { actingIdentity } from "./platform-messages.ts";

/** The messages about names that no two resources in a group can have. */
export type ConflictMessages = Pick<
  typeof nameMessages & typeof absenceMessages & typeof platformMessages,
  "nameWantedBy" | "nameManagedBy" | "nameOfOther" | "nameNotAdopted" | "observedNotFound" | "alreadyExists"
>;

/**
 * What people read about conflicts over a resource of which a group has at most one, in place of the messages about names.
 */
export const singletonMessages: ConflictMessages = {
  nameWantedBy(other) {
    return `${startSentence(other)} already declares the same resource of the group and takes precedence. A group has at most one. Delete this object; the platform is left unchanged. If the other object is deleted, this one takes its place.`;
  },
  nameManagedBy(noun, _name, uid, owner) {
    return `The ${noun} of the group ${uid} is managed by ${owner}. A group has at most one. Delete this object; the platform is left unchanged.`;
  },
  nameOfOther(noun, _name, uid, other) {
    return `The ${noun} of the group ${uid} is managed by ${other}. A group has at most one. Delete one of the two objects.`;
  },
  nameNotAdopted(noun, name, uid) {
    return `The group ${uid} has the ${noun} "${name}", which Muster does not manage. A group has at most one. To manage it, if the Tenant allows its adoption, set spec.policy.adoption: IfExists. Otherwise delete this object, or delete the ${noun} on the platform: this object then creates another one.`;
  },
  observedNotFound(noun, _name, parent) {
    return `The group ${parent} has no ${noun} on the platform, and this object only observes. It continues when there is one. To have it created, set spec.policy.management to Full.`;
  },
  alreadyExists(noun, details, _hasName) {
    return `The group already has a resource of this kind, which the operator cannot see: ${sentence(details)} Let ${actingIdentity} list every ${noun} in the group, or delete this object; the platform is left unchanged.`;
  },
};

/** The platform does not say when it created a resource that is to be adopted. */
export function timeUnknown(noun: string, uid: string): string {
  return `The platform does not say when it created the ${noun} of the group ${uid} (createTime is missing), so the operator could not tell it from another one that replaces it, and does not adopt it. Delete the ${noun} on the platform: this object then creates another one, which carries its marker.`;
}
