import { checkAwsAccount, checkDescription, checkName, checkPresent } from "../contract/check-text.ts";
import { digitsRule, fits } from "../contract/text-rule.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { AccountAssociation } from "../gen/muster/platform/iam/v2beta1/account_association_pb.ts";

/** Checks an association and the accounts that it has. @throws ApiError (3) that names the field */
export function checkAssociation({ name, description, amazon, google, azure }: AccountAssociation): void {
  checkName(name);
  checkDescription(description);
  if (amazon !== undefined) checkAwsAccount("amazon.account", amazon.account);
  if (google !== undefined) {
    checkPresent("google.projectId", google.projectId);
    if (!fits(digitsRule, google.projectNumber)) throw invalidArgument("google.projectNumber", "must be digits");
  }
  if (azure !== undefined) checkPresent("azure.tenantId", azure.tenantId);
}
