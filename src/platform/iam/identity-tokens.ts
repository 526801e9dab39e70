import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { record } from "../audit/audit-log.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { identities } from "../collections/identities.ts";
import { IdentityTokensService } from "../gen/muster/platform/iam/v2beta1/identity_token_pb.ts";
import { permittedResource } from "../handlers/permitted.ts";
import { type Handlers, implement, type Service } from "../service/service.ts";
import type { Transactions } from "../service/transaction.ts";
import { endTokens } from "../tokens/end-tokens.ts";

/** The tokens of identities. Other platforms of this family lack these methods, so gRPC does not serve them. */
export function identityTokensService(transactions: Transactions): Service {
  const revokeTokens: Handlers<typeof IdentityTokensService>["revokeTokens"] = ({ uid }, call) =>
    transactions.write(call, async (transaction) => {
      await permittedResource(transaction, identities, Capability.CAP_IAM_IDENTITY_UPDATE, uid);
      await endTokens(transaction.tx, uid);
      await recordEndOfTokens(transaction.tx, uid);
      return create(EmptySchema);
    });
  return implement(IdentityTokensService, { revokeTokens }, "rest");
}

/** Records that all tokens of an identity were ended, by a call that does so or by a change of how the identity is assumed. */
export function recordEndOfTokens(tx: AuthoredWriter, uid: string): Promise<void> {
  return record(tx, { action: "revokeTokens", type: "identity", uid, fields: {} });
}
