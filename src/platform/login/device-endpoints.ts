import { randomInt } from "node:crypto";
import { asciiUpperCase } from "#src/text/ascii-case.ts";
import type { WholeResponse } from "../server/http-handler.ts";
import { checkClient } from "./client-id.ts";
import { findByUserCode, hashOf, insertCode, newCode, type StoredCode } from "./login-codes.ts";
import { type LoginContext, type LoginHandler, pathIn } from "./login-context.ts";
import { beginAtProvider, checkForm, noProvider, randomText } from "./login-flow.ts";
import type { LoginTarget } from "./login-request.ts";
import type { DeviceCode } from "./login-return.ts";
import { jsonResponse } from "./oauth-response.ts";
import { deviceCodePage, deviceFoundPage } from "./pages.ts";
import { loginTime } from "./pending-login.ts";
import { providersFor } from "./providers.ts";
import { readLogin } from "./read-request.ts";
import { pollInterval } from "./token-endpoint.ts";

/** Letters that are hard to confuse, and do not form words (RFC 8628, 6.1): 20 to the power of 8 codes. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const userCodeLength = 8;

/** `/device_authorization` (RFC 8628): a device asks for a code that a person types elsewhere. */
export function authorizeDevice({ settings, clock }: LoginContext): LoginHandler {
  return async ({ parameters, address, database }) => {
    checkClient(parameters);
    const login = readLogin(parameters, settings);
    if ((await database.read((tx) => providersFor(tx, login.providers))).length === 0) throw noProvider();
    const now = clock();
    const deviceCode = newCode();
    const userCode = Array.from({ length: userCodeLength }, () => letters[randomInt(letters.length)]).join("");
    const hash = hashOf(deviceCode);
    const target: LoginTarget = { kind: "device", device: hash, address, time: now };
    const content: DeviceCode = { kind: "device", request: { ...login, target } };
    const expires = now + loginTime;
    await database.write((tx) =>
      insertCode(tx, { hash, userCodeHash: hashOf(userCode), address, expires, state: "pending", content }, now),
    );
    return jsonResponse(200, {
      device_code: deviceCode,
      user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
      verification_uri: `${settings.authUrl}/device`,
      expires_in: loginTime / 1_000,
      interval: pollInterval,
    });
  };
}

/** `GET /device`: asks for the code. It is typed: no link contains it, so nobody can send a link that is enough. */
export function showDeviceForm(context: LoginContext): LoginHandler {
  return async () => deviceForm(context, false);
}

/** `POST /device`: the code that was typed. */
export function findDevice(context: LoginContext): LoginHandler {
  return async (call) => {
    const { attempts, pending, settings, clock } = context;
    const { database } = call;
    const now = clock();
    checkForm(call, pending.at("device", call.request, now).formToken);
    const typed = asciiUpperCase(call.parameters.one("user_code", 64) ?? "").replaceAll(/[^A-Z]/g, "");
    const waiting = await attempts.try(call.address, async (wrong) => {
      const found = await database.read((tx) => findByUserCode<DeviceCode>(tx, hashOf(typed)));
      if (isWaiting(found, now)) return found;
      wrong();
      return undefined;
    });
    if (waiting === undefined) return deviceForm(context, true);
    const { request } = waiting.content;
    if (request.target.kind !== "device") throw noProvider();
    const found = await database.read((tx) => providersFor(tx, request.providers));
    const links = found.map((provider) => ({
      provider,
      href: `${pathIn(settings, "/device/login")}?identity_provider=${provider.uid}`,
    }));
    return deviceFoundPage(request.target, links, pending.keep({ step: "choose", request }, now), now);
  };
}

/** `/device/login`: the browser in which the code was typed goes on with a provider. */
export function logInForDevice(context: LoginContext): LoginHandler {
  return async ({ request: http, parameters, slot, database }) => {
    const { request } = context.pending.at("choose", http, context.clock());
    const uid = parameters.required("identity_provider");
    const found = await database.read((tx) => providersFor(tx, request.providers));
    const provider = found.find((one) => one.uid === uid);
    if (provider === undefined) throw noProvider();
    return beginAtProvider(context, request, provider, slot);
  };
}

function isWaiting(code: StoredCode<DeviceCode> | undefined, now: number): code is StoredCode<DeviceCode> {
  return code?.state === "pending" && code.expires > now;
}

function deviceForm({ pending, settings, clock }: LoginContext, isWrong: boolean): WholeResponse {
  const formToken = randomText();
  const cookie = pending.keep({ step: "device", formToken }, clock());
  return deviceCodePage({ action: pathIn(settings, "/device"), formToken, cookie, isWrong });
}
