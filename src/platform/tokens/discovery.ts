import { FetchError, type FetchOptions, type FetchText } from "./fetch-document.ts";

/**
 * The discovery document of an issuer (OpenID Connect Discovery). Its members are not checked, apart from the issuer.
 * @throws FetchError
 */
export async function discover(
  issuer: string,
  fetch: FetchText,
  options: FetchOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, options);
  let configuration: Readonly<Record<string, unknown>> | null;
  try {
    configuration = JSON.parse(text) as typeof configuration;
  } catch {
    throw new FetchError("has a discovery document that is not JSON", false);
  }
  if (configuration?.["issuer"] !== issuer) throw new FetchError("has a discovery document of another issuer", false);
  return configuration;
}
