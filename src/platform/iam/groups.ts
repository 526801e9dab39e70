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
import { listPage } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { checkUniqueName } from "../handlers/unique-name.ts";
import { limitKeys, setLimits } from "../resources/resource-limits.ts";
import { nameIs } from "../resources/row-condition.ts";
import { type Call, implement, type Service } from "../service/service.ts";
import type { Session, Sessions, WriteSession } from "../service/session.ts";
import { bindCreator, unbindCreator } from "./creator-binding.ts";
import { checkEmpty } from "./group-emptiness.ts";
import { countRootGroup } from "./root-group-share.ts";
import { deleteInvitesIn } from "./group-invite-rows.ts";

export function groupsService(sessions: Sessions): Service {
  return implement(GroupsService, {
    listGroups: (request, call) =>
      sessions.read(call, async (session) => {
        const conditions = nameIs(request.name);
        const { items, ...page } = await listPage(session, groups, {
          schema: ListGroupsRequestSchema,
          request,
          conditions,
        });
        return create(ListGroupsResponseSchema, { groups: items, ...page });
      }),

    getGroup: ({ uid }, call) =>
      sessions.read(call, (session) => permittedResource(session, groups, Capability.CAP_IAM_GROUPS_LIST, uid)),

    createGroup: ({ parent, group = create(GroupSchema) }, call) =>
      sessions.write(call, (session) => createGroup(session, parent, group)),

    updateGroup: ({ group = create(GroupSchema), updateMask }, call) =>
      sessions.write(call, async (session) => {
        const current = await groupToUpdate(session, group.uid);
        const mask = readMask(GroupSchema, updateMask?.paths ?? [], group);
        return updateGroup(session, current, applyMask(GroupSchema, current, group, mask, retainedFields(session)));
      }),

    deleteGroup: async ({ uid }, call) => {
      await deleteGroup(sessions, call, uid);
      return create(EmptySchema);
    },
  });
}

/** The fields that a full replacement does not reset: `verified`, and what the caller cannot change. */
function retainedFields({ caller }: Session): string[] {
  return caller.kind === "admin" ? ["verified"] : ["verified", "resource_limits"];
}

/** Creates a group. @param parent its uid; empty for a root group @throws ApiError */
export async function createGroup(session: WriteSession, parent: string, group: Group): Promise<Group> {
  if (parent === "") return createRoot(session, group);
  await permittedParent(session, Capability.CAP_IAM_GROUPS_CREATE, parent);
  return insertGroup(session, newUidIn(parent), group);
}

/** Returns the current group if the caller can update it. @throws ApiError (5, 7) */
export function groupToUpdate(session: WriteSession, uid: string): Promise<Group> {
  return permittedResource(session, groups, Capability.CAP_IAM_GROUPS_UPDATE, uid);
}

/** @param updated the new state of the group @throws ApiError */
export async function updateGroup(session: WriteSession, current: Group, updated: Group): Promise<Group> {
  checkGroup(session, updated, current);
  if (updated.name !== current.name) await checkUniqueName(session, groups, updated.uid, updated.name);
  updated.updateTime = timestampFromMs(session.now);
  await groups.update(session.tx, updated);
  await setLimits(session.tx, updated.uid, current.resourceLimits, updated.resourceLimits);
  return updated;
}

/** Deletes an empty group, with its creator binding and its expired invites, in parts. @throws ApiError */
export function deleteGroup(sessions: Sessions, call: Call, uid: string): Promise<void> {
  return sessions.writeInParts(call, async (session) => {
    const { tx, now } = session;
    await permittedResource(session, groups, Capability.CAP_IAM_GROUPS_DELETE, uid);
    await checkEmpty(tx, uid, now);
    if (!(await deleteInvitesIn(tx, uid))) return false;
    await unbindCreator(tx, uid);
    await groups.delete(tx, uid);
    return true;
  });
}

/** Creates a root group. An identity becomes its owner; the admin does not need a binding, and has no limit. */
async function createRoot(session: WriteSession, group: Group): Promise<Group> {
  const { caller, settings } = session;
  if (caller.kind === "identity" && settings.rootGroupCreators === "admin")
    throw permissionDenied("only the admin can create root groups");
  // The new binding would exceed what a downscoped token allows.
  if (caller.kind === "identity" && (caller.downscoping.capabilities ?? caller.downscoping.groups) !== undefined)
    throw permissionDenied("a downscoped token cannot create a root group");
  const creator = caller.kind === "identity" ? await countRootGroup(session.tx, caller.uid) : undefined;
  const created = await insertGroup(session, newRootUid(), group);
  if (caller.kind === "identity" && creator !== undefined) await bindCreator(session, created.uid, caller.uid, creator);
  return created;
}

async function insertGroup(session: WriteSession, uid: string, group: Group): Promise<Group> {
  const time = timestampFromMs(session.now);
  const created = newResource(GroupSchema, group, { uid, createTime: time, updateTime: time });
  checkGroup(session, created, undefined);
  await checkUniqueName(session, groups, uid, created.name);
  await groups.insert(session.tx, created);
  await setLimits(session.tx, uid, {}, created.resourceLimits);
  return created;
}

/** @param before undefined for a new group @throws ApiError (3, 7) */
function checkGroup({ caller }: Session, group: Group, before: Group | undefined): void {
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
