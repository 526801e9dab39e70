import { isDeepStrictEqual } from "node:util";
import { create } from "@bufbuild/protobuf";
import { EmptySchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { groups } from "../collections/groups.ts";
import { checkDescription, checkName } from "../contract/check-text.ts";
import { applyMask, readMask } from "../contract/field-mask.ts";
import { newResource } from "../contract/new-resource.ts";
import { newRootUid, newUidIn } from "../contract/uid.ts";
import { invalidArgument, permissionDenied } from "../errors/api-error.ts";
import {
  type Group,
  GroupSchema,
  GroupsService,
  ListGroupsRequestSchema,
  ListGroupsResponseSchema,
} from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { listStored } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { checkUniqueName } from "../handlers/unique-name.ts";
import { limitKeys, setLimits } from "../resources/resource-limits.ts";
import { nameIs } from "../resources/row-condition.ts";
import { type Call, implement, type Service } from "../service/service.ts";
import type { Transaction, Transactions, WriteTransaction } from "../service/transaction.ts";
import { bindCreator, unbindCreator } from "./creator-binding.ts";
import { checkEmpty } from "./group-emptiness.ts";
import { countRootGroup } from "./root-group-share.ts";
import { deleteInvitesIn } from "./group-invite-rows.ts";

export function groupsService(transactions: Transactions): Service {
  return implement(GroupsService, {
    listGroups: (request, call) =>
      transactions.read(call, async (transaction) => {
        const conditions = nameIs(request.name);
        return listStored(transaction, groups, ListGroupsResponseSchema, {
          schema: ListGroupsRequestSchema,
          request,
          conditions,
        });
      }),

    getGroup: ({ uid }, call) =>
      transactions.read(call, (transaction) =>
        permittedResource(transaction, groups, Capability.CAP_IAM_GROUPS_LIST, uid),
      ),

    createGroup: ({ parent, group = create(GroupSchema) }, call) =>
      transactions.write(call, (transaction) => createGroup(transaction, parent, group)),

    updateGroup: ({ group = create(GroupSchema), updateMask }, call) =>
      transactions.write(call, async (transaction) => {
        const current = await groupToUpdate(transaction, group.uid);
        const mask = readMask(GroupSchema, updateMask?.paths ?? [], group);
        return updateGroup(
          transaction,
          current,
          applyMask(GroupSchema, current, group, mask, retainedFields(transaction)),
        );
      }),

    deleteGroup: async ({ uid }, call) => {
      await deleteGroup(transactions, call, uid);
      return create(EmptySchema);
    },
  });
}

/** The fields that a full replacement does not reset: `verified`, and what the caller cannot change. */
function retainedFields({ caller }: Transaction): string[] {
  return caller.kind === "admin" ? ["verified"] : ["verified", "resource_limits"];
}

/** Creates a group. @param parent its uid; empty for a root group @throws ApiError */
export async function createGroup(transaction: WriteTransaction, parent: string, group: Group): Promise<Group> {
  if (parent === "") return createRoot(transaction, group);
  await permittedParent(transaction, Capability.CAP_IAM_GROUPS_CREATE, parent);
  return insertGroup(transaction, newUidIn(parent), group);
}

/** Returns the current group if the caller can update it. @throws ApiError (5, 7) */
export function groupToUpdate(transaction: WriteTransaction, uid: string): Promise<Group> {
  return permittedResource(transaction, groups, Capability.CAP_IAM_GROUPS_UPDATE, uid);
}

/** @param updated the new state of the group @throws ApiError */
export async function updateGroup(transaction: WriteTransaction, current: Group, updated: Group): Promise<Group> {
  checkGroup(transaction, updated, current);
  if (updated.name !== current.name) await checkUniqueName(transaction, groups, updated.uid, updated.name);
  updated.updateTime = timestampFromMs(transaction.now);
  await groups.update(transaction.tx, updated);
  await setLimits(transaction.tx, updated.uid, current.resourceLimits, updated.resourceLimits);
  return updated;
}

/** Deletes an empty group, with its creator binding and its expired invites, in parts. @throws ApiError */
export function deleteGroup(transactions: Transactions, call: Call, uid: string): Promise<void> {
  return transactions.writeInParts(call, async (transaction) => {
    const { tx, now } = transaction;
    await permittedResource(transaction, groups, Capability.CAP_IAM_GROUPS_DELETE, uid);
    await checkEmpty(tx, uid, now);
    if (!(await deleteInvitesIn(tx, uid))) return false;
    await unbindCreator(tx, uid);
    await groups.delete(tx, uid);
    return true;
  });
}

/** Creates a root group. An identity becomes its owner; the admin does not need a binding, and has no limit. */
async function createRoot(transaction: WriteTransaction, group: Group): Promise<Group> {
  const { caller, settings } = transaction;
  if (caller.kind === "identity" && settings.rootGroupCreators === "admin")
    throw permissionDenied("only the admin can create root groups");
  // The new binding would exceed what a downscoped token allows.
  if (caller.kind === "identity" && (caller.downscoping.capabilities ?? caller.downscoping.groups) !== undefined)
    throw permissionDenied("a downscoped token cannot create a root group");
  const creator = caller.kind === "identity" ? await countRootGroup(transaction.tx, caller.uid) : undefined;
  const created = await insertGroup(transaction, newRootUid(), group);
  if (caller.kind === "identity" && creator !== undefined)
    await bindCreator(transaction, created.uid, caller.uid, creator);
  return created;
}

async function insertGroup(transaction: WriteTransaction, uid: string, group: Group): Promise<Group> {
  const time = timestampFromMs(transaction.now);
  const created = newResource(GroupSchema, group, { uid, createTime: time, updateTime: time });
  checkGroup(transaction, created, undefined);
  await checkUniqueName(transaction, groups, uid, created.name);
  await groups.insert(transaction.tx, created);
  await setLimits(transaction.tx, uid, {}, created.resourceLimits);
  return created;
}

/** @param before undefined for a new group @throws ApiError (3, 7) */
function checkGroup({ caller }: Transaction, group: Group, before: Group | undefined): void {
  const { name, description, verified, resourceLimits } = group;
  checkName(name);
  checkDescription(description);
  if (!isDeepStrictEqual(resourceLimits, before?.resourceLimits ?? {})) {
    if (caller.kind !== "admin") throw permissionDenied("only the admin can change resourceLimits");
    checkResourceLimits(resourceLimits);
  }
  if (verified !== (before?.verified ?? false) && caller.kind !== "admin")
    throw permissionDenied("only the admin can change verified");
}

function checkResourceLimits(resourceLimits: Readonly<Record<string, number>>): void {
  for (const [key, limit] of Object.entries(resourceLimits)) {
    if (!limitKeys.includes(key))
      throw invalidArgument(`resourceLimits.${key}`, `unknown key; the keys are ${limitKeys.join(", ")}`);
    if (limit < 0) throw invalidArgument(`resourceLimits.${key}`, "must not be negative");
  }
}
