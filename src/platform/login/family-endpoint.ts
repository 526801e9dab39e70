import { isUid, parentOf } from "../contract/uid.ts";
import type { Reader } from "../store/database.ts";
import { findInvite } from "./invites.ts";
import { type LoginContext, type LoginHandler, pathIn } from "./login-context.ts";
import { InviteError } from "./complete-login.ts";
import { countingWrongInvites, noProvider, offerProviders } from "./login-flow.ts";
import { loopbackRedirect } from "./loopback-redirect.ts";
import type { LoginRequest, LoginTarget, ProviderChoice } from "./login-request.ts";
import { OAuthError, returning } from "./oauth-error.ts";
import type { Parameters } from "./parameters.ts";
import { acceptedAudiences } from "./read-request.ts";

/**
 * `/oauth`: the login of other clients of this family of platforms, which receive the token itself in a redirect to
 * loopback. There is no PKCE, so what protects the person is the page that asks.
 */
export function familyLogin(context: LoginContext): LoginHandler {
  return async (call) => {
    const { parameters, address, database } = call;
    const target = readTarget(parameters);
    return returning(target, async () => {
      if (parameters.one("exit") !== "redirect") throw new OAuthError("invalid_request", 'exit must be "redirect"');
      for (const uid of [target.identity, target.group])
        if (uid !== undefined && !isUid(uid))
          throw new OAuthError("invalid_request", "identity and scope must be uids");
      const invite = parameters.one("invite", 128);
      const choice = () =>
        database.read((tx) => choiceFor(tx, parameters.one("idp_id"), target.identity, invite, context.clock()));
      const providers =
        invite === undefined ? await choice() : await countingWrongInvites(context.attempts, address, choice);
      const audiences = parameters.all("audience").flatMap((list) => list.split(","));
      const request: LoginRequest = {
        providers,
        invite,
        audiences: acceptedAudiences(
          audiences.filter((audience) => audience !== ""),
          context.settings,
        ),
        target,
      };
      const path = pathIn(context.settings, "/oauth");
      return offerProviders(context, request, call, (uid) => `${path}?${parameters.with({ idp_id: uid })}`);
    });
  };
}

/** @throws OAuthError if the response can go nowhere */
function readTarget(parameters: Parameters): Extract<LoginTarget, { kind: "token" }> {
  const redirect = parameters.required("redirect", 512);
  if (loopbackRedirect(redirect) === undefined)
    throw new OAuthError(
      "invalid_request",
      'redirect must be "http://localhost:PORT/callback", with or without a query',
    );
  return {
    kind: "token",
    redirect,
    refreshToken: parameters.one("create_refresh_token") === "true",
    identity: parameters.one("identity"),
    group: parameters.one("scope"),
  };
}

/** The providers follow from what the client names: one, an identity, or an invite. */
async function choiceFor(
  reader: Reader,
  provider: string | undefined,
  identity: string | undefined,
  invite: string | undefined,
  now: number,
): Promise<ProviderChoice> {
  if (provider !== undefined) return { kind: "provider", uid: provider };
  const inGroup = identity ?? (invite === undefined ? undefined : (await findInvite(reader, invite, now))?.uid);
  const uid = inGroup === undefined ? undefined : parentOf(inGroup);
  if (uid !== undefined) return { kind: "group", uid };
  if (invite === undefined) throw noProvider();
  throw new InviteError(
    "invalid_request",
    "the invite is not valid: ask for a new one, or, if you have used it, log in with idp_id",
  );
}
