import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IdentityProvider } from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { oidcOf } from "../iam/client-secret.ts";
import type { WholeResponse } from "../server/http-handler.ts";
import type { CallSlot } from "../service/call-slots.ts";
import type { Writer } from "../store/database.ts";
import { useOnce } from "../tokens/used-tokens.ts";
import { checkClient } from "./client-id.ts";
import { type AuthenticatedLogin, completeLogin, InviteError, planLogin } from "./complete-login.ts";
import { personIn } from "./id-token.ts";
import { type LoginCall, type LoginContext, type LoginHandler, pathIn } from "./login-context.ts";
import type { LoginRequest } from "./login-request.ts";
import { returnDenial, returnLogin } from "./login-return.ts";
import { OAuthError, refused, returning } from "./oauth-error.ts";
import { issuerKeyOf, redirectUriFor } from "./open-id-providers.ts";
import { choicePage, consentPage } from "./pages.ts";
import { redirectResponse } from "./page.ts";
import type { AskedStep, LoginStep } from "./pending-login.ts";
import { providersFor } from "./providers.ts";
import { checkCodeParameters, readCodeTarget, readLogin } from "./read-request.ts";

/** `/authorize` (RFC 6749 and RFC 7636, for the programs of RFC 8252). */
export function authorize(context: LoginContext): LoginHandler {
  return async (call) => {
    const { parameters } = call;
    checkClient(parameters);
    const target = readCodeTarget(parameters);
    return returning(target, async () => {
      checkCodeParameters(parameters, target);
      const request = { ...readLogin(parameters, context.settings), target };
      const path = pathIn(context.settings, "/authorize");
      return offerProviders(
        context,
        request,
        call,
        (uid) => `${path}?${parameters.with({ group: undefined, identity_provider: uid })}`,
      );
    });
  };
}

/**
 * Sends the browser to the identity provider, or asks the person which one.
 * @param hrefOf the address that continues with a provider
 * @throws OAuthError
 */
export async function offerProviders(
  context: LoginContext,
  request: LoginRequest,
  { slot, database }: Pick<LoginCall, "slot" | "database">,
  hrefOf: (uid: string) => string,
): Promise<WholeResponse> {
  const found = await database.read((tx) => providersFor(tx, request.providers));
  const [only, ...more] = found;
  if (only === undefined) throw noProvider();
  if (more.length === 0) return beginAtProvider(context, request, only, slot);
  return choicePage(found.map((provider) => ({ provider, href: hrefOf(provider.uid) })));
}

/** One message, so that nobody learns which groups there are. */
export function noProvider(): OAuthError {
  return new OAuthError(
    "invalid_request",
    "there is no such identity provider, or the group, and the groups above it, have none",
  );
}

/** Sends the browser to the provider. @throws OAuthError */
export async function beginAtProvider(
  { providers, pending, settings, clock }: LoginContext,
  request: LoginRequest,
  provider: IdentityProvider,
  slot: CallSlot,
): Promise<WholeResponse> {
  const oidc = oidcOf(provider);
  if (oidc === undefined) throw noProvider();
  const secrets = { state: randomText(), nonce: randomText(), verifier: randomText() };
  const redirectUri = redirectUriFor(settings.authUrl, oidc.issuer);
  // The provider may be slow, and its group's owners chose it: its logins wait at the expense of their own root group.
  const location = await slot.whileWaiting(provider.uid, () =>
    providers.authorizationUrl(provider, oidc, { ...secrets, redirectUri }),
  );
  const step: LoginStep = { step: "provider", request, provider: provider.uid, ...secrets };
  return redirectResponse(location, pending.keep(step, clock()));
}

/** `/login/callback/{issuer}`, where the provider sends the browser back to. @param issuerKey the last part of the path */
export function callback(context: LoginContext, issuerKey: string): LoginHandler {
  return async (call) => {
    const { pending, clock } = context;
    const step = pending.at("provider", call.request, clock());
    if (!isEqual(call.parameters.one("state") ?? "", step.state))
      throw new OAuthError("access_denied", "the response of the identity provider is for another login: start again");
    return returning(step.request.target, () => askPerson(context, call, step, issuerKey));
  };
}

async function askPerson(
  { providers, pending, attempts, settings, clock }: LoginContext,
  { parameters, address, slot, database }: LoginCall,
  { request, provider: uid, nonce, verifier }: Extract<LoginStep, { step: "provider" }>,
  issuerKey: string,
): Promise<WholeResponse> {
  const [provider] = await database.read((tx) => providersFor(tx, { kind: "provider", uid }));
  const oidc = provider === undefined ? undefined : oidcOf(provider);
  if (provider === undefined || oidc === undefined) throw noProvider();
  const { issuer, clientId } = oidc;
  const iss = parameters.one("iss");
  const mixedUp = () =>
    refused("the response is of another identity provider than the one that was asked", uid, "mixed up providers", {
      iss,
    });
  // A provider must not receive the code of another one (RFC 9700, 4.4).
  if (issuerKey !== issuerKeyOf(issuer) || (iss !== undefined && iss !== issuer)) throw mixedUp();
  const failure = parameters.one("error");
  if (failure !== undefined)
    throw new OAuthError(
      "access_denied",
      `the identity provider responded with ${failure.replaceAll(/[^\w.-]/g, "?").slice(0, 64)}`,
    );
  const code = parameters.required("code");
  if (request.invite !== undefined) attempts.check(address);

  const person = await slot.whileWaiting(uid, async () => {
    if (iss === undefined && (await providers.sendsIssuer(provider, oidc))) throw mixedUp();
    const redirectUri = redirectUriFor(settings.authUrl, issuer);
    const token = await providers.idTokenFor(provider, oidc, { code, redirectUri, verifier });
    const keysOf = (keyId: string | undefined) => providers.keysOf(provider, issuer, keyId);
    return personIn(token, { issuer, clientId, nonce, now: clock(), keysOf });
  });
  const now = clock();
  const login: AuthenticatedLogin = { request, provider: uid, person };
  const planned = () => database.read((tx) => planLogin(tx, login, now, settings));
  const plan = request.invite === undefined ? await planned() : await countingWrongInvites(attempts, address, planned);
  const formToken = randomText();
  return consentPage({
    plan,
    person,
    target: request.target,
    platform: settings.baseUrl,
    lifetime: settings.loginLifetime,
    formToken,
    action: pathIn(settings, "/login/consent"),
    cookie: pending.keep({ step: "consent", ...login, planned: plan.identity, formToken }, now),
    now,
  });
}

/** `/login/consent`: the person agrees, or does not. */
export function consent(context: LoginContext): LoginHandler {
  return async (call) => {
    const { pending, clock, attempts, settings, auditAccounts } = context;
    const now = clock();
    const step = pending.at("consent", call.request, now);
    checkForm(call, step.formToken);
    const { planned, request } = step;
    const { target, invite } = request;
    return returning(target, async () => {
      const decided = (tx: Writer) => decideOnce(tx, step, now);
      if (call.parameters.one("decision") !== "approve") return returnDenial(context, target, call.database, decided);
      const details = { method: "Login/Consent", address: call.address };
      const completed = () =>
        auditAccounts.settled((begin) =>
          returnLogin(context, { target, now, ...call }, async (tx, record) => {
            await decided(tx);
            return completeLogin(tx, step, { planned, now, settings, record, call: details, charges: begin() });
          }),
        );
      return invite === undefined ? completed() : countingWrongInvites(attempts, call.address, completed);
    });
  };
}

/**
 * Records that the person has decided about a login. The page and its cookie can be sent again, by whoever has a copy of them, and
 * to another replica.
 * @throws OAuthError (access_denied) if the person had decided before
 */
async function decideOnce(tx: Writer, { formToken, provider, expires }: AskedStep, now: number): Promise<void> {
  if (await useOnce(tx, { token: `consent ${formToken}`, owner: provider, expires }, now)) return;
  throw new OAuthError("access_denied", "the login was decided already: start again");
}

/** Checks that a form is one of this platform's pages, sent by the browser that got it. @throws OAuthError (access_denied) */
export function checkForm({ parameters }: LoginCall, formToken: string): void {
  if (!isEqual(parameters.one("form_token") ?? "", formToken))
    throw new OAuthError("access_denied", "the form is not from a page of this login: start again");
}

/** Does the work with an invite. @throws ApiError (8) if the address has tried too many wrong codes; what the work throws */
export async function countingWrongInvites<T>(
  attempts: LoginContext["attempts"],
  address: string,
  work: () => Promise<T>,
): Promise<T> {
  return attempts.try(address, async (wrong) => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof InviteError) wrong();
      throw error;
    }
  });
}

export function randomText(): string {
  return randomBytes(32).toString("base64url");
}

function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", expected, "buffer"));
}
