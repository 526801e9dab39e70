import { create } from "@bufbuild/protobuf";
import { EmptySchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { accountAssociations } from "../collections/account-associations.ts";
import { applyMask, readMask } from "../contract/field-mask.ts";
import { newResource } from "../contract/new-resource.ts";
import { alreadyExists, invalidArgument } from "../errors/api-error.ts";
import {
  type AccountAssociation,
  AccountAssociationSchema,
  AccountAssociationsService,
  ListAccountAssociationsRequestSchema,
  ListAccountAssociationsResponseSchema,
} from "../gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { listPage } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { nameIs } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Sessions } from "../service/session.ts";
import { checkAwsAccount, checkDescription, checkName, checkPresent } from "../contract/check-text.ts";
import { digitsRule, fits } from "../contract/text-rule.ts";

export function accountAssociationsService(sessions: Sessions): Service {
  return implement(AccountAssociationsService, {
    listAccountAssociations: (request, call) =>
      sessions.read(call, async (session) => {
        const { items, ...page } = await listPage(session, accountAssociations, {
          schema: ListAccountAssociationsRequestSchema,
          request,
          conditions: nameIs(request.name),
        });
        return create(ListAccountAssociationsResponseSchema, { accountAssociations: items, ...page });
      }),

    getAccountAssociation: ({ uid }, call) =>
      sessions.read(call, (session) =>
        permittedResource(session, accountAssociations, Capability.CAP_IAM_ACCOUNT_ASSOCIATIONS_LIST, uid),
      ),

    createAccountAssociation: ({ parent, accountAssociation = create(AccountAssociationSchema) }, call) =>
      sessions.write(call, async (session) => {
        await permittedParent(session, Capability.CAP_IAM_ACCOUNT_ASSOCIATIONS_CREATE, parent);
        const time = timestampFromMs(session.now);
        const set = { uid: parent, createTime: time, updateTime: time };
        const created = newResource(AccountAssociationSchema, accountAssociation, set);
        checkAssociation(created);
        if ((await accountAssociations.find(session.tx, parent)) !== undefined)
          throw alreadyExists("the group already has an account association");
        await accountAssociations.insert(session.tx, created);
        return created;
      }),

    updateAccountAssociation: ({ accountAssociation: patch = create(AccountAssociationSchema), updateMask }, call) =>
      sessions.write(call, async (session) => {
        const capability = Capability.CAP_IAM_ACCOUNT_ASSOCIATIONS_UPDATE;
        const current = await permittedResource(session, accountAssociations, capability, patch.uid);
        const mask = readMask(AccountAssociationSchema, updateMask?.paths ?? [], patch);
        const updated = applyMask(AccountAssociationSchema, current, patch, mask);
        checkAssociation(updated);
        updated.updateTime = timestampFromMs(session.now);
        await accountAssociations.update(session.tx, updated);
        return updated;
      }),

    // Succeeds for a group without an association, if the caller could have deleted it.
    deleteAccountAssociation: ({ uid }, call) =>
      sessions.write(call, async (session) => {
        await permittedParent(session, Capability.CAP_IAM_ACCOUNT_ASSOCIATIONS_DELETE, uid, "account association");
        await accountAssociations.delete(session.tx, uid);
        return create(EmptySchema);
      }),
  });
}

/** Checks an association and the accounts that it has. @throws ApiError (3) that names the field */
function checkAssociation({ name, description, amazon, google, azure }: AccountAssociation): void {
  checkName(name);
  checkDescription(description);
  if (amazon !== undefined) checkAwsAccount("amazon.account", amazon.account);
  if (google !== undefined) {
    checkPresent("google.projectId", google.projectId);
    if (!fits(digitsRule, google.projectNumber)) throw invalidArgument("google.projectNumber", "must be digits");
  }
  if (azure !== undefined) checkPresent("azure.tenantId", azure.tenantId);
}
