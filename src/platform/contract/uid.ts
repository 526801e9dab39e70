import { randomBytes } from "node:crypto";
import { fits, uidRule } from "./text-rule.ts";
import { failedPrecondition } from "../errors/api-error.ts";

/** A uid is a path, so ancestry is a question about text; it is asked by segment, never by a bare string prefix. */
export function isUid(text: string): boolean {
  return fits(uidRule, text);
}

/** Whether `uid` has no parent: an organisation (root group) or a built-in role. */
export function isRoot(uid: string): boolean {
  return !uid.includes("/");
}

/** The uid of the parent; `undefined` for a root. */
export function parentOf(uid: string): string | undefined {
  const end = uid.lastIndexOf("/");
  return end < 0 ? undefined : uid.slice(0, end);
}

/** All uids on the path above, from the root down, `uid` itself excluded. */
export function ancestorsOf(uid: string): string[] {
  const ancestors: string[] = [];
  for (let end = uid.indexOf("/"); end >= 0; end = uid.indexOf("/", end + 1)) ancestors.push(uid.slice(0, end));
  return ancestors;
}

/** Whether `uid` is below `ancestor`, itself excluded. */
export function isBelow(ancestor: string, uid: string): boolean {
  return uid.length > ancestor.length && uid[ancestor.length] === "/" && uid.startsWith(ancestor);
}

/** Whether `uid` is `ancestor` or below it: what holds in a group holds there. */
export function isWithin(ancestor: string, uid: string): boolean {
  return uid === ancestor || isBelow(ancestor, uid);
}

/** Everything below `uid` is `>= from` and `< to`: `0` is the character after `/`, so an index answers it. */
export function subtreeOf(uid: string): { readonly from: string; readonly to: string } {
  return { from: `${uid}/`, to: `${uid}0` };
}

export function newRootUid(): string {
  return randomBytes(20).toString("hex");
}

/** @throws ApiError (9) where the tree is as deep as it may be */
export function newUidIn(parent: string): string {
  const uid = `${parent}/${randomBytes(8).toString("hex")}`;
  if (!isUid(uid))
    throw failedPrecondition("TREE_TOO_DEEP", "the tree is as deep as it may be: nothing can be made here");
  return uid;
}
