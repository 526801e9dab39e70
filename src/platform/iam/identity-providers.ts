import { create } from "@bufbuild/protobuf";
import { EmptySchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { identityProviders } from "../collections/identity-providers.ts";
import { applyMask, readMask } from "../contract/field-mask.ts";
import { newResource } from "../contract/new-resource.ts";
import { newUidIn, parentOf } from "../contract/uid.ts";
import {
  type IdentityProvider,
  IdentityProviderSchema,
  IdentityProvidersService,
  ListIdentityProvidersRequestSchema,
  ListIdentityProvidersResponseSchema,
} from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { listPage } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { checkUniqueName } from "../handlers/unique-name.ts";
import { nameIs } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Transactions, WriteTransaction } from "../service/transaction.ts";
import type { MasterKey } from "#src/platform/tokens/master-key.ts";
import { namesSecret, oidcOf, sealSecret, withoutSecret } from "./client-secret.ts";
import { roleToGrant } from "./role-to-grant.ts";
import { checkDescription, checkIssuer, checkName, checkPresent } from "../contract/check-text.ts";
import { invalidArgument } from "../errors/api-error.ts";
import { whyNeverFetched } from "../tokens/fetchable-issuer.ts";
import type { TrustedIssuer } from "../tokens/trusted-issuer.ts";

/** @param masterKey to seal client secrets */
export function identityProvidersService(transactions: Transactions, masterKey: MasterKey): Service {
  return implement(IdentityProvidersService, {
    listIdentityProviders: (request, call) =>
      transactions.read(call, async (transaction) => {
        const { items, ...page } = await listPage(transaction, identityProviders, {
          schema: ListIdentityProvidersRequestSchema,
          request,
          conditions: nameIs(request.name),
        });
        return create(ListIdentityProvidersResponseSchema, { identityProviders: items.map(withoutSecret), ...page });
      }),

    getIdentityProvider: ({ uid }, call) =>
      transactions.read(call, async (transaction) => {
        const capability = Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST;
        return withoutSecret(await permittedResource(transaction, identityProviders, capability, uid));
      }),

    createIdentityProvider: ({ parent, identityProvider = create(IdentityProviderSchema) }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedParent(transaction, Capability.CAP_IAM_IDENTITY_PROVIDERS_CREATE, parent);
        const time = timestampFromMs(transaction.now);
        const set = { uid: newUidIn(parent), createTime: time, updateTime: time };
        const created = newResource(IdentityProviderSchema, identityProvider, set);
        const stored = sealSecret(masterKey, created, undefined);
        await requireProvidable(transaction, stored);
        checkFetchable(stored, transaction.settings.trustedIssuers);
        await checkUniqueName(transaction, identityProviders, stored.uid, stored.name);
        await identityProviders.insert(transaction.tx, stored);
        return withoutSecret(stored);
      }),

    updateIdentityProvider: ({ identityProvider: patch = create(IdentityProviderSchema), updateMask }, call) =>
      transactions.write(call, async (transaction) => {
        const capability = Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE;
        const current = await permittedResource(transaction, identityProviders, capability, patch.uid);
        const paths = updateMask?.paths ?? [];
        const mask = readMask(IdentityProviderSchema, paths, patch);
        const updated = applyMask(IdentityProviderSchema, withoutSecret(current), patch, mask);
        updated.updateTime = timestampFromMs(transaction.now);
        const stored = sealSecret(masterKey, updated, namesSecret(paths) ? undefined : current);
        await requireProvidable(transaction, stored);
        if (oidcOf(stored)?.issuer !== oidcOf(current)?.issuer)
          checkFetchable(stored, transaction.settings.trustedIssuers);
        if (stored.name !== current.name)
          await checkUniqueName(transaction, identityProviders, stored.uid, stored.name);
        await identityProviders.update(transaction.tx, stored);
        return withoutSecret(stored);
      }),

    deleteIdentityProvider: ({ uid }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedResource(transaction, identityProviders, Capability.CAP_IAM_IDENTITY_PROVIDERS_DELETE, uid);
        await identityProviders.delete(transaction.tx, uid);
        return create(EmptySchema);
      }),
  });
}

/** A provider grants its default role, so the caller must be able to bind that role. */
async function requireProvidable(transaction: WriteTransaction, provider: IdentityProvider): Promise<void> {
  const group = parentOf(provider.uid) ?? "";
  transaction.access.require(Capability.CAP_IAM_ROLE_BINDINGS_CREATE, group, "group");
  checkProvider(provider);
  await roleToGrant(transaction, "defaultRole", provider.defaultRole, group);
}

/** Checks a provider in its stored form. @throws ApiError (3) that names the field */
function checkProvider(provider: IdentityProvider): void {
  checkName(provider.name);
  checkDescription(provider.description);
  const oidc = oidcOf(provider);
  if (oidc === undefined) throw invalidArgument("oidc", "is required");
  checkIssuer("oidc.issuer", oidc.issuer);
  checkPresent("oidc.clientId", oidc.clientId);
  for (const scope of oidc.additionalScopes) checkPresent("oidc.additionalScopes", scope);
  if (oidc.clientSecret === "" && !oidc.pkceEnabled)
    throw invalidArgument("oidc.clientSecret", "one of clientSecret and pkceEnabled is required");
}

/**
 * Checks the issuer of a provider that is created, or that gets another issuer.
 * @param trusted may have private addresses
 * @throws ApiError (3) if nobody could ever log in with it
 */
function checkFetchable(provider: IdentityProvider, trusted: readonly TrustedIssuer[]): void {
  const problem = whyNeverFetched(oidcOf(provider)?.issuer ?? "", trusted);
  if (problem !== undefined) throw invalidArgument("oidc.issuer", problem);
}
