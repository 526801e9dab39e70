import { isUid } from "../contract/uid.ts";
import { ApiError } from "../errors/api-error.ts";
import { loginLimits } from "../limits/login-limits.ts";
import { readAudiences } from "../oidc/security-token-service.ts";
import type { PlatformSettings } from "../service/platform-settings.ts";
import { loopbackRedirect } from "./loopback-redirect.ts";
import type { LoginRequest, LoginTarget, ProviderChoice } from "./login-request.ts";
import { OAuthError } from "./oauth-error.ts";
import type { Parameters } from "./parameters.ts";

/** More audiences than there are settings for. */
const maximumAudiences = 16;

/** Where a response to `/authorize` goes. @throws OAuthError if it can go nowhere, so that a page has to show the error */
export function readCodeTarget(parameters: Parameters): Extract<LoginTarget, { kind: "code" }> {
  const redirectUri = parameters.required("redirect_uri", 256);
  const url = loopbackRedirect(redirectUri);
  if (url === undefined || redirectUri.includes("?"))
    throw new OAuthError(
      "invalid_request",
      'redirect_uri must be "http://127.0.0.1:PORT/callback", or the same with [::1] or localhost',
    );
  const state = parameters.one("state", loginLimits.loginState.value);
  return { kind: "code", redirectUri, state, challenge: parameters.one("code_challenge", 64) ?? "" };
}

/** @throws OAuthError */
export function checkCodeParameters(parameters: Parameters, { challenge }: { readonly challenge: string }): void {
  if (parameters.required("response_type") !== "code")
    throw new OAuthError("unsupported_response_type", 'response_type must be "code"');
  const mode = parameters.one("response_mode");
  if (mode !== undefined && mode !== "query") throw new OAuthError("invalid_request", 'response_mode must be "query"');
  if (parameters.one("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge))
    throw new OAuthError("invalid_request", "PKCE is required: code_challenge, with code_challenge_method S256");
}

/** The providers, invite and audiences of a login. @throws OAuthError */
export function readLogin(
  parameters: Parameters,
  settings: PlatformSettings,
): Pick<LoginRequest, "providers" | "invite" | "audiences"> {
  return {
    providers: readProviders(parameters.one("group"), parameters.one("identity_provider")),
    invite: parameters.one("invite", 128),
    audiences: acceptedAudiences(parameters.all("audience"), settings),
  };
}

function readProviders(group: string | undefined, provider: string | undefined): ProviderChoice {
  if ((group === undefined) === (provider === undefined))
    throw new OAuthError("invalid_request", "one of group and identity_provider is required");
  for (const [name, uid] of Object.entries({ group, identity_provider: provider }))
    if (uid !== undefined && !isUid(uid)) throw new OAuthError("invalid_request", `${name} must be a uid`);
  return group === undefined ? { kind: "provider", uid: provider ?? "" } : { kind: "group", uid: group };
}

/** @param requested by default, the address of the API @throws OAuthError (invalid_target) */
export function acceptedAudiences(requested: readonly string[], settings: PlatformSettings): readonly string[] {
  if (requested.length > maximumAudiences)
    throw new OAuthError("invalid_target", `at most ${maximumAudiences} audiences can be requested`);
  try {
    return readAudiences(requested.length === 0 ? [settings.baseUrl] : requested, settings);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new OAuthError("invalid_target", `audience must be "${settings.baseUrl}" or another configured audience`);
  }
}
