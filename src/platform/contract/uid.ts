import { randomBytes, randomFillSync } from "node:crypto";
import { failedPrecondition } from "../errors/api-error.ts";
import { fits, uidRule } from "./text-rule.ts";

/** A uid is a path, so ancestry follows from the string alone. It is compared by segment, never by bare string prefix. */
export function isUid(text: string): boolean {
  return fits(uidRule, text);
}

/** Whether `uid` has no parent. Root groups (organisations) and built-in roles have none. */
export function isRoot(uid: string): boolean {
  return !uid.includes("/");
}

/** The root of the tree that a resource is in: itself, if it is a root. */
export function rootOf(uid: string): string {
  const end = uid.indexOf("/");
  return end < 0 ? uid : uid.slice(0, end);
}

/** The uid of the parent; `undefined` for a root. */
export function parentOf(uid: string): string | undefined {
  const end = uid.lastIndexOf("/");
  return end < 0 ? undefined : uid.slice(0, end);
}

/** The uids of all ancestors, from the root down, without `uid` itself. */
export function ancestorsOf(uid: string): string[] {
  const ancestors: string[] = [];
  for (let end = uid.indexOf("/"); end >= 0; end = uid.indexOf("/", end + 1)) ancestors.push(uid.slice(0, end));
  return ancestors;
}

/** Whether `uid` is a descendant of `ancestor`. False for `ancestor` itself. */
export function isBelow(ancestor: string, uid: string): boolean {
  return uid.length > ancestor.length && uid[ancestor.length] === "/" && uid.startsWith(ancestor);
}

/** Whether `uid` is `ancestor` or one of its descendants. */
export function isWithin(ancestor: string, uid: string): boolean {
  return uid === ancestor || isBelow(ancestor, uid);
}

/** The descendants of `uid` are the uids `>= from` and `< to`, a range of an index: `0` is the character after `/`. */
export function subtreeOf(uid: string): { readonly from: string; readonly to: string } {
  return { from: `${uid}/`, to: `${uid}0` };
}

export function newRootUid(): string {
  return randomBytes(20).toString("hex");
}

/** The bytes of a segment that is not the root's. */
const segmentBytes = 8;
/** Random bytes for the next segments. A call of the generator takes as long for thousands of bytes as for a few. */
const random = Buffer.alloc(512 * segmentBytes);
let used = random.length;

function randomSegment(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += segmentBytes;
  return random.toString("hex", used - segmentBytes, used);
}

/** @throws ApiError (9) if the parent is at the maximum depth of the tree */
export function newUidIn(parent: string): string {
  const uid = `${parent}/${randomSegment()}`;
  if (!isUid(uid))
    throw failedPrecondition(
      "TREE_TOO_DEEP",
      "the parent is at the maximum depth of the tree; create the resource in a group above it",
    );
  return uid;
}
