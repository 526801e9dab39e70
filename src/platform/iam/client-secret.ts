import { clone } from "@bufbuild/protobuf";
import { invalidArgument } from "../errors/api-error.ts";
import {
  type IdentityProvider,
  type IdentityProvider_OIDC as OIDC,
  IdentityProviderSchema,
} from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import type { MasterKey } from "../tokens/key-file.ts";

/** The configuration of a provider; there is no other than OpenID Connect. */
export function oidcOf({ configuration }: IdentityProvider): OIDC | undefined {
  return configuration.case === "oidc" ? configuration.value : undefined;
}

/** The provider without its client secret: as an answer shows it, and as an update starts from it. */
export function withoutSecret(provider: IdentityProvider): IdentityProvider {
  return withSecret(provider, "");
}

/** Whether the mask that a caller gave names the client secret itself: then an empty one clears it. */
export function namesSecret(paths: readonly string[]): boolean {
  return paths.some((path) => path === "oidc.client_secret" || path === "oidc.clientSecret");
}

/**
 * The provider as it is kept: a new client secret is sealed under the key file, for this provider alone; where it is
 * empty, the one that was kept stays.
 * @param kept the provider as it is kept so far; undefined where its secret is not to stay
 * @throws ApiError (3) where the issuer changes and the secret would stay: another party would come by it
 */
export function sealSecret(
  masterKey: MasterKey,
  provider: IdentityProvider,
  kept: IdentityProvider | undefined,
): IdentityProvider {
  const given = oidcOf(provider);
  const before = kept === undefined ? undefined : oidcOf(kept);
  if (given === undefined) return provider;
  if (given.clientSecret !== "")
    return withSecret(provider, Buffer.from(masterKey.seal(purpose(provider), given.clientSecret)).toString("base64"));
  if (before === undefined || before.clientSecret === "") return provider;
  if (before.issuer !== given.issuer)
    throw invalidArgument("oidc.clientSecret", "must be given anew when the issuer changes");
  return withSecret(provider, before.clientSecret);
}

/** The client secret itself, of a provider as it is kept; empty where it has none. */
export function openSecret(masterKey: MasterKey, kept: IdentityProvider): string {
  const sealed = oidcOf(kept)?.clientSecret ?? "";
  return sealed === "" ? "" : masterKey.open(purpose(kept), Buffer.from(sealed, "base64"));
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
