import { create } from "@bufbuild/protobuf";
import { EmptySchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Capability, dottedNameOf } from "../authorization/capability.ts";
import { grantsOf } from "../authorization/grants.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { identities } from "../collections/identities.ts";
import { checkDescription, checkName } from "../contract/check-text.ts";
import { applyMask, readMask } from "../contract/field-mask.ts";
import { newResource } from "../contract/new-resource.ts";
import { newUidIn } from "../contract/uid.ts";
import { permissionDenied } from "../errors/api-error.ts";
import {
  IdentitiesService,
  type Identity,
  IdentitySchema,
  ListIdentitiesRequestSchema,
  ListIdentitiesResponseSchema,
  LookupIdentityResponseSchema,
  RelationshipType,
} from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { listStored } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { checkUniqueName } from "../handlers/unique-name.ts";
import { type Condition, nameIs } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Transactions, WriteTransaction } from "../service/transaction.ts";
import { deleteTokens, endTokens, endTokensOfKeys } from "../tokens/end-tokens.ts";
import { type AssumptionChange, assumptionChange } from "./assumption-change.ts";
import { lookUpIdentity } from "./identity-lookup.ts";
import { checkRelationship } from "./identity-rules.ts";
import { recordEndOfTokens } from "./identity-tokens.ts";
import { personFilter } from "./person-filter.ts";
import { deleteBindingsOf } from "./role-binding-rows.ts";

export function identitiesService(transactions: Transactions): Service {
  return implement(IdentitiesService, {
    listIdentities: (request, call) =>
      transactions.read(call, async (transaction) => {
        const { relationshipType } = request;
        const person = personFilter(request.person);
        const isOfType: Condition<"identities"> = (row) => row("relationship", "=", relationshipType);
        return listStored(transaction, identities, ListIdentitiesResponseSchema, {
          schema: ListIdentitiesRequestSchema,
          request,
          conditions: [...nameIs(request.name), ...person.conditions],
          scanned: [...person.scanned, ...(relationshipType === RelationshipType.UNSPECIFIED ? [] : [isOfType])],
        });
      }),

    getIdentity: ({ uid }, call) =>
      transactions.read(call, (transaction) =>
        permittedResource(transaction, identities, Capability.CAP_IAM_IDENTITY_LIST, uid),
      ),

    createIdentity: ({ parent, identity = create(IdentitySchema) }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedParent(transaction, Capability.CAP_IAM_IDENTITY_CREATE, parent);
        const time = timestampFromMs(transaction.now);
        const set = { uid: newUidIn(parent), createTime: time, updateTime: time, lastSeenTime: time };
        const created = newResource(IdentitySchema, identity, set);
        checkTexts(created);
        checkRelationship(created, transaction.now, transaction.settings.trustedIssuers);
        await checkUniqueName(transaction, identities, created.uid, created.name);
        await identities.insert(transaction.tx, created);
        return created;
      }),

    updateIdentity: ({ identity = create(IdentitySchema), updateMask }, call) =>
      transactions.write(call, async (transaction) => {
        const current = await permittedResource(
          transaction,
          identities,
          Capability.CAP_IAM_IDENTITY_UPDATE,
          identity.uid,
        );
        const mask = readMask(IdentitySchema, updateMask?.paths ?? [], identity);
        const updated = applyMask(IdentitySchema, current, identity, mask);
        const change = assumptionChange(current, updated);
        checkTexts(updated);
        // The relationship is not checked if it is unchanged: expired static keys do not prevent a new description.
        if (change.kind !== "none") {
          await requireGrantsOf(transaction, current.uid);
          checkRelationship(updated, transaction.now, transaction.settings.trustedIssuers);
        }
        // From now on, it may be somebody else.
        if (change.kind === "replaced") delete updated.person;
        const tokensEnded = await endTokensFor(transaction.tx, updated.uid, change);
        if (updated.name !== current.name) await checkUniqueName(transaction, identities, updated.uid, updated.name);
        updated.updateTime = timestampFromMs(transaction.now);
        await identities.update(transaction.tx, updated);
        if (tokensEnded) await recordEndOfTokens(transaction.tx, updated.uid);
        return updated;
      }),

    // The identity is deleted after its bindings: a call that ends early can be repeated.
    deleteIdentity: async ({ uid }, call) => {
      await transactions.writeInParts(call, async (transaction) => {
        await permittedResource(transaction, identities, Capability.CAP_IAM_IDENTITY_DELETE, uid);
        if (!(await deleteBindingsOf(transaction.tx, uid))) return false;
        await deleteTokens(transaction.tx, uid);
        await identities.delete(transaction.tx, uid);
        return true;
      });
      return create(EmptySchema);
    },

    lookupIdentity: ({ issuer, subject }, call) =>
      transactions.read(call, async (transaction) => {
        const { uid } = await lookUpIdentity(transaction, issuer, subject);
        return create(LookupIdentityResponseSchema, { uid });
      }),
  });
}

/** @returns whether all tokens of the identity were ended */
async function endTokensFor(tx: AuthoredWriter, uid: string, change: AssumptionChange): Promise<boolean> {
  switch (change.kind) {
    case "none":
      return false;
    case "keys":
      return endTokensOfKeys(tx, uid, change);
    case "replaced":
      await endTokens(tx, uid);
      return true;
  }
}

function checkTexts({ name, description }: Identity): void {
  checkName(name);
  checkDescription(description);
}

/** A caller that changes how an identity is assumed could assume it, so it must hold everything that the identity holds. */
async function requireGrantsOf({ tx, access }: WriteTransaction, identityUid: string): Promise<void> {
  for (const { group, capabilities } of await grantsOf(tx, identityUid)) {
    const missing = access.missing(capabilities, group);
    if (missing !== undefined)
      throw permissionDenied(
        `changing how the identity is assumed requires ${dottedNameOf(missing)} wherever its bindings grant it`,
      );
  }
}
