import { minutes } from "#src/time/durations.ts";
import { type RecordEvent, writeWithEvent } from "../audit/write-with-event.ts";
import type { WholeResponse } from "../server/http-handler.ts";
import { httpStatusOf } from "../rest/rest-error.ts";
import type { Writer } from "../store/database.ts";
import { startFamily } from "../tokens/refresh-families.ts";
import { changeCode, findCode, hashOf, insertCode, newCode } from "./login-codes.ts";
import type { CallDatabase } from "./call-database.ts";
import type { LoginCall, LoginContext } from "./login-context.ts";
import { newLogin, type LoginGrant } from "./login-grant.ts";
import type { LoginRequest, LoginTarget } from "./login-request.ts";
import { descriptionOf, nameOf, OAuthError, type ReturnedError } from "./oauth-error.ts";
import { donePage, errorPage } from "./pages.ts";
import { redirectResponse } from "./page.ts";

/** How long an authorization code is valid (ms). A program redeems it at once. */
const codeLifetime = minutes(1);

/** What an authorization code is for. */
export interface AuthorizationCode {
  readonly kind: "authorization";
  readonly grant: LoginGrant;
  readonly redirectUri: string;
  readonly challenge: string;
  /** The family of refresh tokens that the code was redeemed for. */
  readonly family?: string | undefined;
}

/** What a device code is for. */
export interface DeviceCode {
  readonly kind: "device";
  readonly request: LoginRequest;
  /** Set when the person has agreed. */
  readonly grant?: LoginGrant;
}

interface Return extends Pick<LoginCall, "address" | "database"> {
  readonly target: LoginTarget;
  readonly now: number;
}

/**
 * Completes a login, and gives the result to the program or device that waits for it.
 * @param complete does what the person agreed to, in the transaction that also keeps the result
 */
export async function returnLogin(
  { tokens, pending, settings, securityLog }: LoginContext,
  { target, address, now, database }: Return,
  complete: (tx: Writer, record: RecordEvent) => Promise<LoginGrant>,
): Promise<WholeResponse> {
  switch (target.kind) {
    case "code": {
      const code = newCode();
      const { redirectUri, challenge, state } = target;
      await writeWithEvent(database, securityLog, async (tx, record) => {
        const grant = await complete(tx, record);
        const content: AuthorizationCode = { kind: "authorization", grant, redirectUri, challenge };
        const expires = now + codeLifetime;
        await insertCode(tx, { hash: hashOf(code), address, expires, state: "approved", content }, now);
      });
      return redirectResponse(withQuery(redirectUri, { code, state, iss: settings.authUrl }), pending.forget);
    }
    case "device": {
      await writeWithEvent(database, securityLog, async (tx, record) => {
        const waiting = await findCode<DeviceCode>(tx, target.device);
        if (waiting?.state !== "pending" || waiting.expires <= now)
          throw new OAuthError("access_denied", "the code of the device has expired: start again on the device");
        await changeCode(tx, target.device, "approved", { ...waiting.content, grant: await complete(tx, record) });
      });
      return donePage("You are logged in", "Go back to your device. You can close this page.", pending.forget);
    }
    case "token": {
      const lifetime = { now, expires: now + settings.loginLifetime, maximum: settings.maximumRefreshTokens };
      const { content, refreshToken } = await writeWithEvent(database, securityLog, async (tx, record) => {
        const login = newLogin(await complete(tx, record));
        const family = target.refreshToken ? await startFamily(tx, login, lifetime) : undefined;
        return { content: login, refreshToken: family };
      });
      const { token } = await tokens.issue(content);
      const query = { error: undefined, token, refresh_token: refreshToken };
      return redirectResponse(withQuery(target.redirect, query), pending.forget);
    }
  }
}

/**
 * The person does not agree.
 * @param decided records that the person has decided
 * @throws OAuthError (access_denied) where a program waits; what `decided` throws
 */
export async function returnDenial(
  { pending }: LoginContext,
  target: LoginTarget,
  database: CallDatabase,
  decided: (tx: Writer) => Promise<void>,
): Promise<WholeResponse> {
  await database.write(async (tx) => {
    await decided(tx);
    if (target.kind !== "device") return;
    const waiting = await findCode<DeviceCode>(tx, target.device);
    if (waiting?.state === "pending") await changeCode(tx, target.device, "denied", waiting.content);
  });
  if (target.kind !== "device") throw new OAuthError("access_denied", "the login was cancelled");
  return donePage("The login was cancelled", "The device gets no access. You can close this page.", pending.forget);
}

/** Reports a failed login to the program that waits for it; to the person where none does. */
export function returnFailure(error: ReturnedError, authUrl: string): WholeResponse {
  const { target } = error;
  switch (target.kind) {
    case "code": {
      const query = {
        error: nameOf(error),
        error_description: descriptionOf(error),
        state: target.state,
        iss: authUrl,
      };
      return redirectResponse(withQuery(target.redirectUri, query));
    }
    case "token": {
      const query = { token: undefined, error: error.message, status_code: String(httpStatusOf(error.code)) };
      return redirectResponse(withQuery(target.redirect, query));
    }
    case "device":
      return errorPage(httpStatusOf(error.code), error.message);
  }
}

function withQuery(text: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(text);
  for (const [name, value] of Object.entries(parameters))
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return url.href;
}
