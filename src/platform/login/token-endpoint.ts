import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ApiError, Code } from "../errors/api-error.ts";
import { identityEvent, type SecurityEvent } from "../audit/security-event.ts";
import { writeWithEvent } from "../audit/write-with-event.ts";
import { updateLastSeen } from "../iam/last-seen.ts";
import type { AnonymousCall } from "../service/service.ts";
import type { WholeResponse } from "../server/http-handler.ts";
import type { Writer } from "../store/database.ts";
import type { ApiTokenContent } from "../tokens/api-token.ts";
import { endFamily } from "../tokens/end-tokens.ts";
import { familyOf, type FamilyOwner, hasFamily, startFamily } from "../tokens/refresh-families.ts";
import type { CallDatabase } from "./call-database.ts";
import { checkClient } from "./client-id.ts";
import { changeCode, delayPoll, deleteCode, findCode, hashOf } from "./login-codes.ts";
import type { LoginCall, LoginContext, LoginHandler } from "./login-context.ts";
import { isValid, type LoginGrant, newLogin } from "./login-grant.ts";
import type { AuthorizationCode, DeviceCode } from "./login-return.ts";
import { jsonResponse } from "./oauth-response.ts";
import { OAuthError, type OAuthErrorName } from "./oauth-error.ts";
import { challengeOf } from "./open-id-providers.ts";
import type { Parameters } from "./parameters.ts";

/** How long a device waits between two polls, in seconds. */
export const pollInterval = 5;
/** What a poll may be early (ms). */
const pollTolerance = 1_000;

/** The tokens of a login, or why there are none. A failure is thrown after the transaction, which an error would roll back. */
type Redemption =
  | {
      readonly kind: "granted";
      readonly content: ApiTokenContent;
      readonly refreshToken: string;
      readonly ends: number;
    }
  | { readonly kind: "failed"; readonly error: OAuthErrorName; readonly description: string };

/** `/token` (RFC 6749, RFC 7636, RFC 8628). */
export function token(context: LoginContext): LoginHandler {
  return async ({ parameters, address, slot, database }) => {
    checkClient(parameters);
    const grantType = parameters.required("grant_type");
    switch (grantType) {
      case "authorization_code":
        return issued(context, await redeemCode(context, { parameters, address, database }));
      case "urn:ietf:params:oauth:grant-type:device_code":
        return issued(context, await pollDevice(context, parameters, database));
      case "refresh_token":
        return refreshed(context, { bearer: parameters.required("refresh_token"), method: "/token", address, slot });
      default:
        throw new OAuthError("unsupported_grant_type", "grant_type must be one of those in the discovery document");
    }
  };
}

async function redeemCode(
  context: LoginContext,
  { parameters, address, database }: Pick<LoginCall, "parameters" | "address" | "database">,
): Promise<Redemption> {
  const hash = hashOf(parameters.required("code"));
  const redirectUri = parameters.one("redirect_uri");
  const verifier = parameters.required("code_verifier", 128);
  const unknown = failed("invalid_grant", "the code is not valid, has expired, or was used");
  // Without a code, nobody can make the platform write.
  if ((await database.read((tx) => findCode(tx, hash))) === undefined) return unknown;
  const now = context.clock();
  return writeWithEvent(database, context.securityLog, async (tx, record): Promise<Redemption> => {
    const code = await findCode<AuthorizationCode | DeviceCode>(tx, hash);
    if (code === undefined || code.content.kind !== "authorization" || code.expires <= now) return unknown;
    const { grant, challenge, family } = code.content;
    if (code.state === "used") {
      // Somebody else has the code too, so all tokens that came from it end (RFC 6749, 4.1.2).
      const ended = family === undefined ? undefined : await endFamily(tx, family, now);
      if (ended !== undefined) await record(codeReused(ended, address));
      return unknown;
    }
    if (redirectUri !== code.content.redirectUri || challengeOf(verifier) !== challenge) {
      await changeCode(tx, hash, "used", code.content);
      return failed("invalid_grant", "redirect_uri or code_verifier do not match the code, which was ended");
    }
    const redeemed = await redeem(context, tx, grant, now);
    if (redeemed.kind === "granted")
      await changeCode(tx, hash, "used", { ...code.content, family: familyOf(redeemed.refreshToken) });
    return redeemed;
  });
}

function codeReused(owner: FamilyOwner, address: string): SecurityEvent {
  const event = identityEvent("reuse", owner, { method: "Login/Token", address });
  return {
    ...event,
    code: Code.permissionDenied,
    reason: "the authorization code was already used; its login was ended",
  };
}

async function pollDevice(context: LoginContext, parameters: Parameters, database: CallDatabase): Promise<Redemption> {
  const hash = hashOf(parameters.required("device_code"));
  const unknown = failed("invalid_grant", "the device code is not valid, has expired, or was used");
  const slowDown = failed("slow_down", `poll every ${pollInterval} s, and 5 s slower after this error`);
  const known = await database.read((tx) => findCode(tx, hash));
  if (known === undefined) return unknown;
  const now = context.clock();
  // Anybody can start a login on a device: however often it polls, it makes the platform write once in an interval.
  if (now < known.nextPoll && now < known.expires && known.state !== "denied") return slowDown;
  return database.write(async (tx): Promise<Redemption> => {
    const device = await findCode<AuthorizationCode | DeviceCode>(tx, hash);
    if (device === undefined || device.content.kind !== "device") return unknown;
    if (device.expires <= now) return failed("expired_token", "the device code has expired");
    if (device.state === "denied") {
      await deleteCode(tx, hash);
      return failed("access_denied", "the login was cancelled");
    }
    const isEarly = now < device.nextPoll;
    await delayPoll(tx, hash, now + pollInterval * 1_000 - pollTolerance);
    if (isEarly) return slowDown;
    const { grant } = device.content;
    if (grant === undefined) return failed("authorization_pending", "the person has not logged in yet");
    await deleteCode(tx, hash);
    return redeem(context, tx, grant, now);
  });
}

async function redeem({ settings }: LoginContext, tx: Writer, grant: LoginGrant, now: number): Promise<Redemption> {
  if (!(await isValid(tx, grant)))
    return failed("invalid_grant", "the identity was deleted, or its tokens were ended, after the login");
  const { loginLifetime, maximumRefreshTokens } = settings;
  const lifetime = { now, expires: now + loginLifetime, maximum: maximumRefreshTokens };
  const content = newLogin(grant);
  const refreshToken = await startFamily(tx, content, lifetime);
  await updateLastSeen(tx, grant.identity, now);
  return { kind: "granted", content, refreshToken, ends: lifetime.expires };
}

function failed(error: OAuthErrorName, description: string): Redemption {
  return { kind: "failed", error, description };
}

async function issued({ tokens, clock }: LoginContext, redemption: Redemption): Promise<WholeResponse> {
  if (redemption.kind === "failed") throw new OAuthError(redemption.error, redemption.description);
  const { content, refreshToken, ends } = redemption;
  const { token: accessToken, expires } = await tokens.issue(content);
  return tokenResponse({ accessToken, refreshToken, expires, ends, now: clock() });
}

async function refreshed({ refresh, clock }: LoginContext, call: AnonymousCall): Promise<WholeResponse> {
  const { token: next, refreshToken: nextRefresh } = await refresh(call).catch((error: unknown) => {
    // Whatever is wrong with a refresh token has one name in OAuth 2.0.
    if (
      !(error instanceof ApiError) ||
      ![Code.unauthenticated, Code.permissionDenied].some((code) => code === error.code)
    )
      throw error;
    const invalid = new OAuthError("invalid_grant", error.message);
    invalid.explanation = error.explanation;
    invalid.isRecorded = error.isRecorded;
    throw invalid;
  });
  return tokenResponse({
    accessToken: next?.token ?? "",
    refreshToken: nextRefresh?.token ?? "",
    expires: next?.expiry === undefined ? 0 : timestampMs(next.expiry),
    ends: nextRefresh?.expiry === undefined ? 0 : timestampMs(nextRefresh.expiry),
    now: clock(),
  });
}

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expires: number;
  /** When the login ends, however often it is renewed. */
  readonly ends: number;
  readonly now: number;
}

function tokenResponse({ accessToken, refreshToken, expires, ends, now }: Tokens): WholeResponse {
  const secondsUntil = (time: number) => Math.max(0, Math.floor((time - now) / 1_000));
  return jsonResponse(200, {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: secondsUntil(expires),
    refresh_token: refreshToken,
    // No RFC has this member; several servers have it, and `muster whoami` prints it.
    refresh_token_expires_in: secondsUntil(ends),
  });
}

/** `/revoke` (RFC 7009): ends the login of a refresh token, with its API tokens. It succeeds for a token that is not valid. */
export function revoke({ securityLog, clock }: LoginContext): LoginHandler {
  return async ({ parameters, address, database }) => {
    checkClient(parameters);
    const family = familyOf(parameters.required("token"));
    if (family !== undefined && (await database.read((tx) => hasFamily(tx, family))))
      await writeWithEvent(
        database,
        securityLog,
        async (tx, record) => {
          const ended = await endFamily(tx, family, clock());
          if (ended !== undefined) await record(identityEvent("logout", ended, { method: "Login/Revoke", address }));
        },
        undefined,
        "reserved",
      );
    return jsonResponse(200, {});
  };
}
