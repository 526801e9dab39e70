import { Capability } from "../access/capability.ts";
import { identities } from "../collections/identities.ts";
import { invalidArgument, notFound } from "../errors/api-error.ts";
import type { Identity } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import type { Session } from "../service/session.ts";
import { statement } from "../store/database.ts";

const byIssuerAndSubject = statement((db, p: { issuer: string; subject: string }) =>
  db
    .selectFrom("identities")
    .select("uid")
    .where("subject", "=", p.subject)
    .where("issuer", "=", p.issuer)
    .orderBy("uid"),
);

/** Returns the first identity with this literal issuer and subject that the caller can list. @throws ApiError (3, 5) */
export async function lookUpIdentity({ tx, access }: Session, issuer: string, subject: string): Promise<Identity> {
  if (issuer === "") throw invalidArgument("issuer", "must not be empty");
  if (subject === "") throw invalidArgument("subject", "must not be empty");
  const rows = await tx.all(byIssuerAndSubject, { issuer, subject });
  const uid = rows.find((row) => access.can(Capability.CAP_IAM_IDENTITY_LIST, row.uid))?.uid;
  const identity = uid === undefined ? undefined : await identities.find(tx, uid);
  if (identity === undefined) throw notFound("identity", `${issuer} ${subject}`);
  return identity;
}
