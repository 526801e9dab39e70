import * as z from "zod";
import { CommandFailure } from "#src/commands/command.ts";
import { exitCodeOf } from "#src/commands/login/exit-code.ts";
import { listStable } from "#src/commands/reader/list-stable.ts";
import type { ExistingTree, OtherResource } from "#src/import/existing-tree.ts";
import { accountAssociationKind } from "#src/kinds/account-association.ts";
import { type ExternalGroup, groupKind } from "#src/kinds/group.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { type ExternalIdentity, identityKind } from "#src/kinds/identity.ts";
import { identityProviderKind } from "#src/kinds/identity-provider.ts";
import { roleKind } from "#src/kinds/role.ts";
import { roleBindingKind } from "#src/kinds/role-binding.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { externalText, externalUid } from "#src/platform-client/collection.ts";
import { isRejection } from "#src/platform-client/failure.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { readPermissions } from "#src/platform-client/permissions.ts";
import { isBelow } from "#src/platform-client/uid.ts";
import type { Caller, UnprovenAbsence } from "#src/plan/proven-reads.ts";

/** Why a resource with a code that only the response to the create request contains has no manifest. */
const codeIsLost =
  "nobody can read its code again, so no object can take it over: unless a GroupInvite made it, replace it by one";

const other = z.object({ uid: externalUid, name: externalText });

export interface ReadTreeOptions {
  readonly kinds: readonly Kind[];
  /** The uid of the group. */
  readonly group: string;
  readonly caller: Caller;
  /** Whether to read which roles the identities have elsewhere. */
  readonly elsewhere: boolean;
  readonly signal: AbortSignal;
}

export interface ReadTree {
  readonly tree: ExistingTree;
  /** Where the caller may not list: more may exist there. */
  readonly unseen: readonly UnprovenAbsence[];
  /** Whether the tree has everything that a manifest can declare. */
  readonly isComplete: boolean;
}

/**
 * Reads a group and everything below it, in pages of 200.
 * @throws {CommandFailure} if the group does not exist, or the caller may not see it. @throws {PlatformFailure}
 */
export async function readTree(
  api: ReadApi,
  { kinds, group, caller, elsewhere, signal }: ReadTreeOptions,
): Promise<ReadTree> {
  const scope = { descendantsOf: group };
  const others = kinds.filter(({ identification }) => identification.by === "secret");
  const unseenBefore = await findUnseen(api, kinds, group, caller, signal);
  const [root, groups, identities, allRoles, bindings, providers, associations, ...rest] = await Promise.all([
    readGroup(api, group, signal),
    listStable(api, groupKind.collection, { scope }, signal),
    listStable(api, identityKind.collection, { scope }, signal),
    // What built-in roles allow bounds what others can be declared to allow.
    listStable(api, roleKind.collection, {}, signal),
    listStable(api, roleBindingKind.collection, elsewhere ? {} : { scope }, signal),
    listStable(api, identityProviderKind.collection, { scope }, signal),
    listStable(api, accountAssociationKind.collection, { scope }, signal),
    ...others.map((kind) => readOthers(api, kind, group, signal)),
  ]);
  const isInTree = ({ uid }: { readonly uid: string }) => isBelow(uid, group);
  const known = new Set(identities.map(({ uid }) => uid));
  const roleBindings = bindings.filter(isInTree);
  const tree = {
    group: root,
    groups,
    identities,
    identitiesElsewhere: await readHolders(api, roleBindings, group, signal),
    roles: allRoles.filter(isInTree),
    rolesElsewhere: allRoles.filter((role) => !isInTree(role)),
    roleBindings,
    roleBindingsElsewhere: bindings.filter((binding) => !isInTree(binding) && known.has(binding.identity.uid)),
    identityProviders: providers,
    accountAssociations: associations,
    others: rest.flat(),
  };
  // What the caller may not list is not in a list, and no error says so: permissions count that held before and after it.
  const unseenAfter = await findUnseen(api, kinds, group, caller, signal);
  const unseen = [
    ...unseenBefore,
    ...unseenAfter.filter(({ capability }) => !unseenBefore.some((one) => one.capability === capability)),
  ];
  const needed = kinds.flatMap(({ collection, identification }) =>
    identification.by !== "secret" ? collection.listCapability : [],
  );
  const isComplete = !unseen.some(({ capability }) => needed.includes(capability));
  return { tree, unseen, isComplete };
}

async function readGroup(api: ReadApi, group: string, signal: AbortSignal): Promise<ExternalGroup> {
  try {
    return await api.get(groupKind.collection, group, signal);
  } catch (cause) {
    if (!isRejection(cause, "NOT_FOUND")) throw cause;
    const fix = "muster api GET /iam/v2beta1/groups lists those that you can read, with their uids";
    const message = `--group: you can read no group with the uid ${group}; ${fix}`;
    throw new CommandFailure(message, exitCodeOf("NOT_FOUND"), { cause });
  }
}

/** The identities outside of the group to which roles of the group are bound: one may be a credential, whose role is never managed. */
async function readHolders(
  api: ReadApi,
  bindings: readonly ExternalRoleBinding[],
  group: string,
  signal: AbortSignal,
): Promise<readonly ExternalIdentity[]> {
  const holders = new Set(
    bindings
      .filter(({ identity, role }) => isBelow(role.uid, group) && !isBelow(identity.uid, group))
      .map(({ identity }) => identity.uid),
  );
  if (holders.size === 0) return [];
  const visible = await listStable(api, identityKind.collection, {}, signal);
  return visible.filter(({ uid }) => holders.has(uid));
}

async function readOthers(
  api: ReadApi,
  { name: kind, noun, collection }: Kind,
  group: string,
  signal: AbortSignal,
): Promise<readonly OtherResource[]> {
  const type = { name: collection.name, api: collection.api, schema: other, uids: collection.uids };
  const resources = await listStable(api, type, { scope: { descendantsOf: group } }, signal);
  return resources.map(({ uid, name }) => ({ kind, noun, uid, reason: codeIsLost, ...(name === "" ? {} : { name }) }));
}

async function findUnseen(
  api: ReadApi,
  kinds: readonly Kind[],
  group: string,
  caller: Caller,
  signal: AbortSignal,
): Promise<readonly UnprovenAbsence[]> {
  if (caller === "administrator") return [];
  const permissions = caller && (await readPermissions(api, caller.identity, signal)).permissions;
  return kinds
    .map(({ collection }) => collection.listCapability)
    .filter((capability) => permissions?.allow(capability, group) !== true)
    .map((capability) => ({ capability, group }));
}
