import { create } from "@bufbuild/protobuf";
import { type Duration, durationMs, EmptySchema, type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { groupInvites } from "../collections/group-invites.ts";
import { applyMask, readMask } from "../contract/field-mask.ts";
import { emailRule, fits } from "../contract/text-rule.ts";
import { newResource } from "../contract/new-resource.ts";
import { newUidIn, parentOf } from "../contract/uid.ts";
import { invalidArgument } from "../errors/api-error.ts";
import {
  type GroupInvite,
  GroupInviteSchema,
  GroupInvitesService,
  ListGroupInvitesRequestSchema,
  ListGroupInvitesResponseSchema,
} from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { listPage } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import type { Condition } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Transaction, Transactions, WriteTransaction } from "../service/transaction.ts";
import { shownInvites } from "./group-invite-rows.ts";
import { roleToGrant } from "./role-to-grant.ts";
import { hash, randomBytes } from "node:crypto";

/** The last millisecond that a timestamp can represent. */
const endOfTime = Date.parse("9999-12-31T23:59:59.999Z");

export function groupInvitesService(transactions: Transactions): Service {
  return implement(GroupInvitesService, {
    listGroupInvites: (request, call) =>
      transactions.read(call, async (transaction) => {
        const { items, ...page } = await listPage(transaction, groupInvites, {
          schema: ListGroupInvitesRequestSchema,
          request,
          conditions: keyIdIs(request.keyId),
        });
        return create(ListGroupInvitesResponseSchema, {
          groupInvites: await shownInvites(transaction.tx, items),
          ...page,
        });
      }),

    getGroupInvite: ({ uid }, call) =>
      transactions.read(call, async (transaction) => {
        const capability = Capability.CAP_IAM_GROUP_INVITES_LIST;
        return shown(transaction, await permittedResource(transaction, groupInvites, capability, uid));
      }),

    createGroupInvite: ({ parent, groupInvite = create(GroupInviteSchema) }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedParent(transaction, Capability.CAP_IAM_GROUP_INVITES_CREATE, parent);
        const { keyId, code, codeHash } = newInviteCode();
        const time = timestampFromMs(transaction.now);
        const set = { uid: newUidIn(parent), keyId, code: codeHash, createTime: time, updateTime: time };
        const created = newResource(GroupInviteSchema, groupInvite, set);
        await requireInvitable(transaction, created);
        created.expirationTime = expiryOf(created.ttl, transaction.now);
        delete created.ttl;
        await groupInvites.insert(transaction.tx, created);
        return create(GroupInviteSchema, { ...(await shown(transaction, created)), code });
      }),

    updateGroupInvite: ({ groupInvite: patch = create(GroupInviteSchema), updateMask }, call) =>
      transactions.write(call, async (transaction) => {
        // There is no separate capability: a caller that can create an invite could create one with the other values.
        const capability = Capability.CAP_IAM_GROUP_INVITES_CREATE;
        const current = await permittedResource(transaction, groupInvites, capability, patch.uid);
        const mask = readMask(GroupInviteSchema, updateMask?.paths ?? [], patch);
        const updated = applyMask(GroupInviteSchema, current, patch, mask);
        await requireInvitable(transaction, updated);
        updated.updateTime = timestampFromMs(transaction.now);
        await groupInvites.update(transaction.tx, updated);
        return shown(transaction, updated);
      }),

    deleteGroupInvite: ({ uid }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedResource(transaction, groupInvites, Capability.CAP_IAM_GROUP_INVITES_DELETE, uid);
        await groupInvites.delete(transaction.tx, uid);
        return create(EmptySchema);
      }),
  });
}

/** An invite grants a role, so the caller must be able to bind that role. */
async function requireInvitable(transaction: WriteTransaction, { uid, email, roleUid }: GroupInvite): Promise<void> {
  const group = parentOf(uid) ?? "";
  transaction.access.require(Capability.CAP_IAM_ROLE_BINDINGS_CREATE, group, "group");
  if (!fits(emailRule, email)) throw invalidArgument("email", "must be an e-mail address, or empty");
  await roleToGrant(transaction, "roleUid", roleUid, group);
}

/** @throws ApiError (3) */
function expiryOf(ttl: Duration | undefined, now: number): Timestamp {
  if (ttl === undefined) throw invalidArgument("ttl", 'is required: a duration such as "86400s"');
  const milliseconds = Math.floor(durationMs(ttl));
  if (milliseconds <= 0) throw invalidArgument("ttl", "must be positive");
  if (now + milliseconds > endOfTime) throw invalidArgument("ttl", "must end before the year 10000");
  return timestampFromMs(now + milliseconds);
}

async function shown({ tx }: Transaction, invite: GroupInvite): Promise<GroupInvite> {
  const [one] = await shownInvites(tx, [invite]);
  return one ?? invite;
}

function keyIdIs(keyId: string): Condition<"group_invites">[] {
  return keyId === "" ? [] : [(row) => row("key_id", "=", keyId)];
}

/** The code of a group invite. A person who has it can join the group. */
interface InviteCode {
  /** Identifies the code without revealing it. */
  readonly keyId: string;
  /** The key id and a secret, separated by a dot. */
  readonly code: string;
  /** The stored form of the code, from which it cannot be recovered. */
  readonly codeHash: string;
}

function newInviteCode(): InviteCode {
  const keyId = randomBytes(8).toString("hex");
  const code = `${keyId}.${randomBytes(32).toString("base64url")}`;
  // A random secret of 256 bits does not need a slow hash.
  return { keyId, code, codeHash: hash("sha256", code, "hex") };
}
