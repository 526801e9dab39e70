import { isDeepStrictEqual } from "node:util";
import { collectionOf } from "#test/support/harness/comparison.ts";
import type { AnyMusterKind } from "#test/support/harness/muster-objects.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import type { Findings } from "./findings.ts";
import type { HandMade, Journal } from "./journal.ts";
import type { Picture } from "./picture.ts";

/**
 * Compares what other clients made and changed on the platform with what is there now.
 *
 * - *O*: it is as they left it, unless an object may take it over.
 * - *D*: no object created a second resource with the name of one that was there before.
 * - *K*: nobody else can assume an identity than when it got a role that its Tenant may not bind.
 */
export function findHandMadeViolations(journal: Journal, picture: Picture): Findings {
  const violations: string[] = [];
  const kept = [...journal.handMade].filter(({ mayBeTaken }) => !mayBeTaken);
  for (const one of kept) {
    const { collection, resource } = one;
    const where = `${collection} ${resource.uid} (${resource.name}), made by hand,`;
    const now = picture.resources[collection].find(({ uid }) => uid === resource.uid);
    if (now === undefined) {
      if (!mayBeGone(picture, one)) violations.push(`O: ${where} is gone`);
      continue;
    }
    if (!isDeepStrictEqual(stable(now), stable(resource)))
      violations.push(`O: ${where} was changed: ${JSON.stringify(now)}`);
    for (const second of secondsOf(picture, one)) violations.push(`D: ${second.uid} has the name of ${where} too`);
  }
  for (const [uid, claimMatch] of journal.held) {
    const now = picture.resources.identities.find((one) => one.uid === uid);
    if (now !== undefined && !isDeepStrictEqual(now["claimMatch"], claimMatch))
      violations.push(
        `K: identities ${uid} holds a role that its Tenant may not bind, and got other claims: ${JSON.stringify(now["claimMatch"])}`,
      );
  }
  return { violations, reported: [], compared: { "made by hand": kept.length, "held roles": journal.held.size } };
}

/** Resources with the same name in the same group, which were created later. */
function secondsOf({ resources }: Picture, { collection, resource }: HandMade): readonly PlatformResource[] {
  // A role binding has no name, and an association is the only one of its group.
  if (collection === "roleBindings" || collection === "accountAssociations") return [];
  return resources[collection].filter(
    ({ uid, name, createTime }) =>
      name === resource.name &&
      uid !== resource.uid &&
      groupOf(uid) === groupOf(resource.uid) &&
      Date.parse(createTime) > Date.parse(resource["createTime"]),
  );
}

function mayBeGone(picture: Picture, { collection, resource, mayBeRemoved }: HandMade): boolean {
  // A role binding goes with its identity.
  const identity: string | undefined = collection === "roleBindings" ? resource["identity"]?.uid : undefined;
  if (identity !== undefined && !picture.resources.identities.some(({ uid }) => uid === identity)) return true;
  return mayBeRemoved === true && !picture.objects.some((object) => names(object, { collection, resource }));
}

/** Whether the object records the resource, or names it. */
export function names(
  object: KubeObject,
  { collection, resource }: Pick<HandMade, "collection" | "resource">,
): boolean {
  if (object["status"]?.uid === resource.uid) return true;
  if (collectionOf[object.kind as AnyMusterKind] !== collection || collection === "roleBindings") return false;
  return (object["spec"].name ?? object.metadata.name) === resource.name;
}

function groupOf(uid: string): string {
  return uid.slice(0, uid.lastIndexOf("/"));
}

/** A resource without what a read may show otherwise: a role binding shows what it names as that is now. */
function stable({ updateTime: _updated, etag: _etag, identity, group, role, ...resource }: PlatformResource): object {
  return { ...resource, identity: identity?.uid, group: group?.uid, role: role?.uid };
}
