import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Capability } from "../authorization/capability.ts";
import { groups } from "../collections/groups.ts";
import { isUid } from "../contract/uid.ts";
import { notFound, permissionDenied } from "../errors/api-error.ts";
import type { Group } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import type { Collection } from "../resources/collection.ts";
import type { Transaction } from "../service/transaction.ts";

/**
 * Returns the resource that a method names in its path, if the caller holds the capability on it.
 * @throws ApiError 5 if it does not exist, the uid is malformed or names another type, or the caller cannot see it; 7 if
 *   the caller does not hold the capability
 */
export async function permittedResource<D extends DescMessage>(
  transaction: Transaction,
  collection: Collection<D>,
  capability: Capability,
  uid: string,
): Promise<MessageShape<D>> {
  const { type } = collection.description;
  const found = isUid(uid) ? await collection.find(transaction.tx, uid) : undefined;
  if (found === undefined) throw notFound(type, uid);
  transaction.access.require(capability, uid, type);
  await checkSettled(transaction, collection.parentOf(uid));
  return found;
}

/**
 * Returns the group in which a resource is to be created.
 * @param type what the method names, for errors
 * @throws ApiError as `permittedResource`
 */
export async function permittedParent(
  transaction: Transaction,
  capability: Capability,
  uid: string,
  type = "group",
): Promise<Group> {
  const group = isUid(uid) ? await groups.find(transaction.tx, uid) : undefined;
  if (group === undefined) throw notFound(type, uid);
  transaction.access.require(capability, uid, type);
  checkAge(transaction, group);
  return group;
}

/** Simulates platforms in which a new group takes some seconds to be visible everywhere. @throws ApiError (7) */
async function checkSettled(transaction: Transaction, groupUid: string | undefined): Promise<void> {
  if (transaction.settings.consistencyLag === 0 || groupUid === undefined) return;
  const group = await groups.find(transaction.tx, groupUid);
  if (group !== undefined) checkAge(transaction, group);
}

function checkAge({ settings, now }: Transaction, { uid, createTime }: Group): void {
  if (settings.consistencyLag === 0 || createTime === undefined) return;
  if (now < timestampMs(createTime) + settings.consistencyLag)
    throw permissionDenied(`group "${uid}" was created recently and is not visible everywhere yet; retry later`);
}
