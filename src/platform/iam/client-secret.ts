import { clone } from "@bufbuild/protobuf";
import { invalidArgument } from "../errors/api-error.ts";
import {
  type IdentityProvider,
  type IdentityProvider_OIDC as OIDC,
  IdentityProviderSchema,
} from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { type MasterKey, reseal } from "#src/platform/tokens/master-key.ts";

/** The OpenID Connect configuration of a provider, the only kind that exists. */
export function oidcOf({ configuration }: IdentityProvider): OIDC | undefined {
  return configuration.case === "oidc" ? configuration.value : undefined;
}

/** The provider without its client secret: the form of responses, and the one that updates are applied to. */
export function withoutSecret(provider: IdentityProvider): IdentityProvider {
  return withSecret(provider, "");
}

/** Whether a mask names the client secret explicitly, so that an empty one clears it. */
export function namesSecret(paths: readonly string[]): boolean {
  return paths.some((path) => path === "oidc.client_secret" || path === "oidc.clientSecret");
}

/**
 * Returns the provider as it is stored. A new client secret is sealed with the master key, for this provider only. If it is
 * empty, the stored secret is kept.
 * @param stored the provider as it is stored; undefined if its secret must not be kept
 * @throws ApiError (3) if the issuer changes and the secret would be kept, because it would be sent to another party
 */
export function sealSecret(
  masterKey: MasterKey,
  provider: IdentityProvider,
  stored: IdentityProvider | undefined,
): IdentityProvider {
  const given = oidcOf(provider);
  const before = stored === undefined ? undefined : oidcOf(stored);
  if (given === undefined) return provider;
  if (given.clientSecret !== "")
    return withSecret(provider, Buffer.from(masterKey.seal(purpose(provider), given.clientSecret)).toString("base64"));
  if (before === undefined || before.clientSecret === "") return provider;
  if (before.issuer !== given.issuer)
    throw invalidArgument("oidc.clientSecret", "must be set again when the issuer changes");
  return withSecret(provider, before.clientSecret);
}

/** The client secret of a stored provider in plain text; empty if it has none. */
export function openSecret(masterKey: MasterKey, stored: IdentityProvider): string {
  const sealed = oidcOf(stored)?.clientSecret ?? "";
  return sealed === "" ? "" : masterKey.open(purpose(stored), Buffer.from(sealed, "base64"));
}

/** The stored provider with its client secret sealed with another key; undefined if there is nothing to change. */
export function resealSecret(
  keys: { readonly from: MasterKey; readonly to: MasterKey },
  stored: IdentityProvider,
): IdentityProvider | undefined {
  const sealed = oidcOf(stored)?.clientSecret ?? "";
  if (sealed === "") return undefined;
  const resealed = reseal(keys, purpose(stored), Buffer.from(sealed, "base64"));
  return resealed === undefined ? undefined : withSecret(stored, Buffer.from(resealed).toString("base64"));
}

function purpose({ uid }: IdentityProvider): string {
  return `client secret of ${uid}`;
}

function withSecret(provider: IdentityProvider, secret: string): IdentityProvider {
  const changed = clone(IdentityProviderSchema, provider);
  const oidc = oidcOf(changed);
  if (oidc !== undefined) oidc.clientSecret = secret;
  return changed;
}
