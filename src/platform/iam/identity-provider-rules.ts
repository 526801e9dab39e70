import { checkDescription, checkIssuer, checkName, checkPresent } from "../contract/check-text.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { IdentityProvider } from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { whyNeverFetched } from "../tokens/fetchable-issuer.ts";
import type { TrustedIssuer } from "../tokens/trusted-issuer.ts";
import { oidcOf } from "./client-secret.ts";

/** Checks a provider in its stored form. @throws ApiError (3) that names the field */
export function checkProvider(provider: IdentityProvider): void {
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
export function checkFetchable(provider: IdentityProvider, trusted: readonly TrustedIssuer[]): void {
  const problem = whyNeverFetched(oidcOf(provider)?.issuer ?? "", trusted);
  if (problem !== undefined) throw invalidArgument("oidc.issuer", problem);
}
