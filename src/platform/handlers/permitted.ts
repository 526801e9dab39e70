import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Capability } from "../access/capability.ts";
import { notFound, permissionDenied } from "../errors/api-error.ts";
import type { Group } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { groups } from "../collections/groups.ts";
import type { Session } from "../service/session.ts";
import { isUid } from "../contract/uid.ts";
import type { Collection } from "../resources/collection.ts";

/**
 * The resource that a method names in its path, which the caller may do this to.
 * @throws ApiError 5 where there is none, the uid is malformed or of another sort, or the caller does not see it; 7
 *   where the caller may not
 */
export async function permittedResource<D extends DescMessage>(
  session: Session,
  collection: Collection<D>,
  capability: Capability,
  uid: string,
): Promise<MessageShape<D>> {
  const { type } = collection.description;
  const found = isUid(uid) ? await collection.find(session.tx, uid) : undefined;
  if (found === undefined) throw notFound(type, uid);
  session.access.require(capability, uid, type);
  await checkSettled(session, collection.parentOf(uid));
  return found;
}

/** The group that a resource is to be made in. @throws ApiError as `permittedResource` */
export async function permittedParent(session: Session, capability: Capability, uid: string): Promise<Group> {
  const group = isUid(uid) ? await groups.find(session.tx, uid) : undefined;
  if (group === undefined) throw notFound("group", uid);
  session.access.require(capability, uid, "group");
  checkAge(session, group);
  return group;
}

/** Platforms may take some seconds until a new group is known to all of their parts: ours can be told to act so. */
async function checkSettled(session: Session, groupUid: string | undefined): Promise<void> {
  if (session.settings.consistencyLag === 0 || groupUid === undefined) return;
  const group = await groups.find(session.tx, groupUid);
  if (group !== undefined) checkAge(session, group);
}

function checkAge({ settings, now }: Session, { uid, createTime }: Group): void {
  if (settings.consistencyLag === 0 || createTime === undefined) return;
  if (now < timestampMs(createTime) + settings.consistencyLag)
    throw permissionDenied(`group "${uid}" is new and not yet known everywhere; try again`);
}
