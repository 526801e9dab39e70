import { create } from "@bufbuild/protobuf";
import { withEveryField } from "../../contract/every-field.ts";
import { identities } from "../../collections/identities.ts";
import {
  Identities,
  type Identity,
  Identity_AWSIdentitySchema,
  Identity_ClaimMatchSchema,
  Identity_StaticSchema,
  IdentityListSchema,
  IdentitySchema,
} from "../../gen/muster/platform/iam/identities_pb.ts";
import type { Identity as CurrentIdentity } from "../../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { listAll } from "../../handlers/list-all.ts";
import { withRest } from "../../service/rest-of-list.ts";
import { implement, type Service } from "../../service/service.ts";
import type { Transaction, Transactions } from "../../service/transaction.ts";
import { lookUpIdentity } from "../identity-lookup.ts";

/** The v1 API of identities. */
export function v1IdentitiesService(transactions: Transactions): Service {
  return implement(Identities, {
    list: async (filter, call) => {
      const v1 = (_: Transaction, found: CurrentIdentity[]) => found.map(v1Identity);
      const { items, rest } = await listAll(transactions, call, identities, { filter, v1 });
      return withRest(create(IdentityListSchema, { items }), rest);
    },

    lookup: ({ issuer, subject }, call) =>
      transactions.read(call, async (transaction) => v1Identity(await lookUpIdentity(transaction, issuer, subject))),
  });
}

/** The v1 form of an identity. */
function v1Identity(identity: CurrentIdentity): Identity {
  const { uid, name, description, createTime, updateTime, lastSeenTime } = identity;
  return withEveryField(IdentitySchema, {
    id: uid,
    name,
    description,
    createdAt: createTime,
    updatedAt: updateTime,
    lastSeen: lastSeenTime,
    relationship: v1Relationship(identity),
  });
}

function v1Relationship({ relationship }: CurrentIdentity): Identity["relationship"] {
  switch (relationship.case) {
    case "claimMatch": {
      const { iss, sub, aud, claims, claimPatterns } = relationship.value;
      const value = withEveryField(Identity_ClaimMatchSchema, { iss, sub, aud, claims, claimPatterns });
      return { case: "claimMatch", value };
    }
    case "staticKeys": {
      const { issuer, subject, issuerKeys, expirationTime: expiration, audiences } = relationship.value;
      const value = withEveryField(Identity_StaticSchema, { issuer, subject, issuerKeys, audiences, expiration });
      return { case: "static", value };
    }
    case "awsIdentity": {
      const { awsAccount, awsArn, awsUserId } = relationship.value;
      const value = withEveryField(Identity_AWSIdentitySchema, { awsAccount, awsArn, awsUserId });
      return { case: "awsIdentity", value };
    }
    case undefined:
      return relationship;
  }
}
