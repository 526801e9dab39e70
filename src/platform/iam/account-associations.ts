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
import { listStored } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { nameIs } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Transactions } from "../service/transaction.ts";
import { checkAwsAccount, checkDescription, checkName, checkPresent } from "../contract/check-text.ts";
import { digitsRule, fits } from "../contract/text-rule.ts";

export function accountAssociationsService(transactions: Transactions): Service {
  return implement(AccountAssociationsService, {
    listAccountAssociations: (request, call) =>
      transactions.read(call, (transaction) =>
        listStored(transaction, accountAssociations, ListAccountAssociationsResponseSchema, {
          schema: ListAccountAssociationsRequestSchema,
          request,
          conditions: nameIs(request.name),
        }),
      ),

    getAccountAssociation: ({ uid }, call) =>
      transactions.read(call, (transaction) =>
        permittedResource(transaction, accountAssociations, Capability.CAP_IAM_ACCOUNT_ASSOCIATIONS_LIST, uid),
      ),

    createAccountAssociation: ({ parent, accountAssociation = create(AccountAssociationSchema) }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedParent(transaction, Capability.CAP_IAM_ACCOUNT_ASSOCIATIONS_CREATE, parent);
        const time = timestampFromMs(transaction.now);
        const set = { uid: parent, createTime: time, updateTime: time };
        const created = newResource(AccountAssociationSchema, accountAssociation, set);
        checkAssociation(created);
        if ((await accountAssociations.find(transaction.tx, parent)) !== undefined)
          throw alreadyExists("the group already has an account association");
        await accountAssociations.insert(transaction.tx, created);
        return created;
      }),

    updateAccountAssociation: ({ accountAssociation: patch = create(AccountAssociationSchema), updateMask }, call) =>
      transactions.write(call, async (transaction) => {
        const capability = Capability.CAP_IAM_ACCOUNT_ASSOCIATIONS_UPDATE;
        const current = await permittedResource(transaction, accountAssociations, capability, patch.uid);
        const mask = readMask(AccountAssociationSchema, updateMask?.paths ?? [], patch);
        const updated = applyMask(AccountAssociationSchema, current, patch, mask);
        checkAssociation(updated);
        updated.updateTime = timestampFromMs(transaction.now);
        await accountAssociations.update(transaction.tx, updated);
        return updated;
      }),

    // Succeeds for a group without an association, if the caller could have deleted it.
    deleteAccountAssociation: ({ uid }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedParent(transaction, Capability.CAP_IAM_ACCOUNT_ASSOCIATIONS_DELETE, uid, "account association");
        await accountAssociations.delete(transaction.tx, uid);
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
