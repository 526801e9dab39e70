/**
 * A uid of the platform: 40 hex digits for a root, then `/` and 16 hex digits for each level below it. Uids are compared by
 * segment, never only by prefix: `a/b` is not above `a/bc`.
 */
export const uidPattern = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;

/** The uid of the group that contains `uid`; undefined for a root. */
export function parentOf(uid: string): string | undefined {
  const end = uid.lastIndexOf("/");
  return end < 0 ? undefined : uid.slice(0, end);
}

export function isBelow(uid: string, ancestor: string): boolean {
  return uid[ancestor.length] === "/" && uid.startsWith(ancestor);
}

/** How the uids of a resource type name the group that contains the resource. */
export interface UidScheme {
  /** The uid of the group that contains the resource; undefined if no group does. */
  parentOf(uid: string): string | undefined;
  /** Whether the resource is in the group or in a group below it. */
  isBelow(uid: string, group: string): boolean;
  /**
   * Whether a group has at most one resource of the type, which has the uid of the group. Such a uid is used again: after the
   * resource was deleted, another one may have it.
   */
  readonly isSingleton: boolean;
}

/** A resource has the uid of its group with another segment, which is never used again. */
export const childUids: UidScheme = { parentOf, isBelow, isSingleton: false };

/** A resource has the uid of its group. */
export const singletonUids: UidScheme = { parentOf: (uid) => uid, isBelow: isWithin, isSingleton: true };

export function isWithin(uid: string, ancestor: string): boolean {
  return uid === ancestor || isBelow(uid, ancestor);
}
