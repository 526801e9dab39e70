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
import type { Sessions, WriteSession } from "../service/session.ts";
import type { MasterKey } from "#src/platform/tokens/master-key.ts";
import { namesSecret, oidcOf, sealSecret, withoutSecret } from "./client-secret.ts";
import { roleToGrant } from "./role-to-grant.ts";
import { checkDescription, checkIssuer, checkName, checkPresent } from "../contract/check-text.ts";
import { invalidArgument } from "../errors/api-error.ts";
import { whyNeverFetched } from "../tokens/fetchable-issuer.ts";
import type { TrustedIssuer } from "../tokens/trusted-issuer.ts";

/** @param masterKey to seal client secrets */
export function identityProvidersService(sessions: Sessions, masterKey: MasterKey): Service {
  return implement(IdentityProvidersService, {
    listIdentityProviders: (request, call) =>
      sessions.read(call, async (session) => {
        const { items, ...page } = await listPage(session, identityProviders, {
          schema: ListIdentityProvidersRequestSchema,
          request,
          conditions: nameIs(request.name),
        });
        return create(ListIdentityProvidersResponseSchema, { identityProviders: items.map(withoutSecret), ...page });
      }),

    getIdentityProvider: ({ uid }, call) =>
      sessions.read(call, async (session) => {
        const capability = Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST;
        return withoutSecret(await permittedResource(session, identityProviders, capability, uid));
      }),

    createIdentityProvider: ({ parent, identityProvider = create(IdentityProviderSchema) }, call) =>
      sessions.write(call, async (session) => {
        await permittedParent(session, Capability.CAP_IAM_IDENTITY_PROVIDERS_CREATE, parent);
        const time = timestampFromMs(session.now);
        const set = { uid: newUidIn(parent), createTime: time, updateTime: time };
        const created = newResource(IdentityProviderSchema, identityProvider, set);
        const stored = sealSecret(masterKey, created, undefined);
        await requireProvidable(session, stored);
        checkFetchable(stored, session.settings.trustedIssuers);
        await checkUniqueName(session, identityProviders, stored.uid, stored.name);
        await identityProviders.insert(session.tx, stored);
        return withoutSecret(stored);
      }),

    updateIdentityProvider: ({ identityProvider: patch = create(IdentityProviderSchema), updateMask }, call) =>
      sessions.write(call, async (session) => {
        const capability = Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE;
        const current = await permittedResource(session, identityProviders, capability, patch.uid);
        const paths = updateMask?.paths ?? [];
        const mask = readMask(IdentityProviderSchema, paths, patch);
        const updated = applyMask(IdentityProviderSchema, withoutSecret(current), patch, mask);
        updated.updateTime = timestampFromMs(session.now);
        const stored = sealSecret(masterKey, updated, namesSecret(paths) ? undefined : current);
        await requireProvidable(session, stored);
        if (oidcOf(stored)?.issuer !== oidcOf(current)?.issuer) checkFetchable(stored, session.settings.trustedIssuers);
        if (stored.name !== current.name) await checkUniqueName(session, identityProviders, stored.uid, stored.name);
        await identityProviders.update(session.tx, stored);
        return withoutSecret(stored);
      }),

    deleteIdentityProvider: ({ uid }, call) =>
      sessions.write(call, async (session) => {
        await permittedResource(session, identityProviders, Capability.CAP_IAM_IDENTITY_PROVIDERS_DELETE, uid);
        await identityProviders.delete(session.tx, uid);
        return create(EmptySchema);
      }),
  });
}

/** A provider grants its default role, so the caller must be able to bind that role. */
async function requireProvidable(session: WriteSession, provider: IdentityProvider): Promise<void> {
  const group = parentOf(provider.uid) ?? "";
  session.access.require(Capability.CAP_IAM_ROLE_BINDINGS_CREATE, group, "group");
  checkProvider(provider);
  await roleToGrant(session, "defaultRole", provider.defaultRole, group);
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
