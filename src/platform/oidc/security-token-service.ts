import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import type { Actor } from "../authorization/caller.ts";
import { isCurrent } from "../authorization/security-stamp.ts";
import type { CallDetails } from "../audit/authored-writer.ts";
import { identityEvent, type SecurityEvent } from "../audit/security-event.ts";
import type { SecurityLog } from "../audit/security-log.ts";
import { type RecordEvent, writeWithEvent } from "../audit/write-with-event.ts";
import { isUid } from "../contract/uid.ts";
import {
  ApiError,
  Code,
  invalidArgument,
  permissionDenied,
  unauthenticated,
  unavailable,
  unimplemented,
} from "../errors/api-error.ts";
import type { Identity } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import {
  type ExchangeRefreshTokenRequest,
  type ExchangeRequest,
  type RawToken,
  RawTokenSchema,
  SecurityTokenService,
  type TokenPair,
  TokenPairSchema,
} from "../gen/muster/platform/oidc/security_token_service_pb.ts";
import { findAssumed, stampOfFound } from "../iam/assumed-identity.ts";
import { updateLastSeen, wasSeenLately } from "../iam/last-seen.ts";
import type { PlatformSettings } from "../service/platform-settings.ts";
import type { RateLimit } from "../service/rate-limit.ts";
import type { CallSlot } from "../service/call-slots.ts";
import { type AnonymousCall, implementAnonymous, type Service } from "../service/service.ts";
import type { Database, Writer } from "../store/database.ts";
import { settleAll } from "../store/settle-all.ts";
import type { ApiTokens } from "../tokens/api-token.ts";
import type { AwsSts } from "../tokens/aws-sts.ts";
import { awsIssuer, type AwsToken, awsTokenExpiry, readAwsToken } from "../tokens/aws-token.ts";
import { endFamily } from "../tokens/end-tokens.ts";
import { exactMismatch, patternMismatch } from "../tokens/claim-match.ts";
import { FetchError, type FetchText } from "../tokens/fetch-document.ts";
import type { IssuerKeys } from "../tokens/issuer-keys.ts";
import type { KeySet, Signer } from "../tokens/key-set.ts";
import type { PatternCache } from "../tokens/pattern-cache.ts";
import {
  familyOf,
  hasFamily,
  type RefreshRejection,
  type RefreshResult,
  startFamily,
  useRefreshToken,
} from "../tokens/refresh-families.ts";
import type { StaticKeySets } from "../tokens/static-keys.ts";
import { checkTime, type SubjectToken, readSubjectToken } from "../tokens/subject-token.ts";
import { type SingleUse, useOnce } from "../tokens/used-tokens.ts";
import type { VerifiedSignatures } from "../tokens/verified-signatures.ts";
import { awsMismatch, awsPrincipalOf } from "./aws-exchange.ts";
import { readDownscoping } from "./downscoping-request.ts";
import { explained } from "./refused-exchange.ts";

export interface SecurityTokenServiceOptions {
  readonly database: Database;
  readonly tokens: ApiTokens;
  /** Fetches what the token service and logins need from others. */
  readonly fetch: FetchText;
  readonly issuerKeys: IssuerKeys;
  readonly staticKeys: StaticKeySets;
  readonly signatures: VerifiedSignatures;
  readonly patterns: PatternCache;
  readonly awsSts: AwsSts;
  readonly rateLimit: RateLimit | undefined;
  readonly settings: PlatformSettings;
  readonly clock: WallClock;
  readonly log: Logger;
  readonly securityLog: SecurityLog;
}

/** Exchanges subject tokens and refresh tokens for API tokens (RFC 8693). */
export function securityTokenService(options: SecurityTokenServiceOptions): Service {
  return implementAnonymous(SecurityTokenService, {
    exchange: (request, call) => exchange(options, request, call),
    exchangeRefreshToken: (request, call) => refresh(options, request, call),
  });
}

/** What the caller sends to prove who it is. */
type Subject =
  | { readonly kind: "jwt"; readonly token: SubjectToken }
  | { readonly kind: "aws"; readonly token: AwsToken };

/** What was proved. */
interface Proof {
  readonly actor: Actor;
  /** The fingerprint of the static key that vouches for the caller. */
  readonly key: string | undefined;
}

async function exchange(
  options: SecurityTokenServiceOptions,
  request: ExchangeRequest,
  call: AnonymousCall,
): Promise<RawToken> {
  const { bearer, slot } = call;
  const subject = readSubject(bearer, options.settings);
  const audiences = readAudiences(request.aud, options.settings);
  const downscoping = readDownscoping(request);
  if (request.identityProvider !== "") throw unimplemented("exchange by an identity provider");
  if (!isUid(request.identity)) throw invalidArgument("identity", "must be the uid of an identity");

  const found = await options.database.read((tx) => findAssumed(tx, request.identity), slot.shares);
  const refused = (reason: string, error = mismatch()) =>
    explained(error, { identity: found?.identity.uid, mismatch: reason, token: claimed(subject) });
  if (found === undefined) throw refused("the identity does not exist");
  const { identity, stamp: securityStamp } = found;
  const now = options.clock();
  const prove =
    subject.kind === "aws"
      ? proveByAws(options, identity, subject.token, now, slot)
      : proveByJwt(options, identity, subject.token, now, slot);
  const { actor, key } = await prove.catch((error: unknown) => {
    if (error instanceof Mismatch) throw refused(`the ${error.what} does not match`);
    throw error instanceof ApiError && error.code === Code.permissionDenied ? refused(error.message, error) : error;
  });

  // Only callers that have proved to be the identity count against its limit.
  options.rateLimit?.admit(identity.uid);
  const stamp = { value: securityStamp.value, key };
  const content = { identityUid: identity.uid, stamp, audiences, downscoping, actor };
  const { token, expires } = await options.tokens.issue(content);
  const exchanged = async (tx: Writer, record: RecordEvent) => {
    if (subject.kind === "aws" && !(await useOnce(tx, singleUseOf(subject.token, identity.uid), now)))
      throw permissionDenied("the token was already used: sign a new request");
    const { refreshLifetime, maximumRefreshTokens } = options.settings;
    const lifetime = { now, expires: now + refreshLifetime, maximum: maximumRefreshTokens };
    const [stampNow, refreshToken] = await settleAll([
      stampOfFound(tx, identity.uid),
      startFamily(tx, content, lifetime),
      record(identityEvent("exchange", { identity: identity.uid, actor }, call)),
      ...(wasSeenLately(identity, now) ? [] : [updateLastSeen(tx, identity.uid, now)]),
    ]);
    if (stampNow === undefined) throw mismatch();
    // The API token contains the stamp that was read, so it has ended; a family would not have.
    if (!isCurrent(stampNow, stamp))
      throw unavailable("how the identity is assumed was changed during the exchange; retry the request");
    return refreshToken;
  };
  const refreshToken = await writeWithEvent(options.database, options.securityLog, exchanged, slot.shares);
  return create(RawTokenSchema, { token, refreshToken, expiry: timestampFromMs(expires) });
}

/** Something in the token does not match the identity. The caller does not learn what. */
class Mismatch extends Error {
  override readonly name = "Mismatch";
  readonly what: string;
  constructor(what: string) {
    super(`the ${what} does not match`);
    this.what = what;
  }
}

/** @throws ApiError (16) if the bearer token is neither a JWT nor a signed request to AWS, (3) if that request is invalid */
function readSubject(bearer: string, { awsHeaderVendor }: PlatformSettings): Subject {
  const token = readAwsToken(bearer, awsHeaderVendor);
  return token === undefined ? { kind: "jwt", token: readSubjectToken(bearer) } : { kind: "aws", token };
}

/** Who the caller claims to be, for the log. */
function claimed({ kind, token }: Subject): Pick<SubjectToken, "issuer" | "subject" | "audiences"> {
  return kind === "jwt" ? token : { issuer: awsIssuer, subject: "", audiences: [token.audience] };
}

/** @throws Mismatch, ApiError (7, 14) */
async function proveByJwt(
  options: SecurityTokenServiceOptions,
  identity: Identity,
  token: SubjectToken,
  now: number,
  slot: CallSlot,
): Promise<Proof> {
  const exact = mismatchIn(options, identity, token);
  if (exact !== undefined) throw new Mismatch(exact);
  const { fingerprint } = await verify(options, identity, token, now, slot);
  // Only the issuer's tokens may cost the time of matching patterns.
  const pattern = patternMismatch(identity, token, options.patterns);
  if (pattern !== undefined) throw new Mismatch(pattern);
  const { issuer: iss, subject: sub, audiences } = token;
  const [onlyAudience = "", ...others] = audiences;
  // Only static keys have fingerprints: an issuer rotates its keys without ending tokens.
  return { actor: { iss, sub, aud: others.length === 0 ? onlyAudience : audiences }, key: fingerprint };
}

/** @throws Mismatch, ApiError (7, 14) */
async function proveByAws(
  { awsSts, patterns, log, settings: { authUrl } }: SecurityTokenServiceOptions,
  { uid, relationship }: Identity,
  token: AwsToken,
  now: number,
  slot: CallSlot,
): Promise<Proof> {
  if (relationship.case !== "awsIdentity") throw new Mismatch("type of the identity");
  const options = { awsSts, patterns, authUrl, log };
  const principal = await slot.whileWaiting(uid, () => awsPrincipalOf(options, uid, token, now));
  const what = awsMismatch(relationship.value, principal, patterns);
  if (what !== undefined) throw new Mismatch(what);
  return { actor: { iss: awsIssuer, sub: principal.arn, aud: authUrl }, key: undefined };
}

/**
 * @returns the key that signed the token
 * @throws ApiError (7) if the token is not valid now or was not signed by its issuer, (14) if that cannot be verified now
 */
async function verify(
  options: SecurityTokenServiceOptions,
  identity: Identity,
  token: SubjectToken,
  now: number,
  slot: CallSlot,
): Promise<Signer> {
  checkTime(token, now);
  // The issuer may be slow, and the identity's owners chose it: its callers wait at the expense of their own root group.
  const keys = await slot.whileWaiting(identity.uid, () => keysFor(options, identity, token, now));
  const signer = await options.signatures.signerOf(keys, token.text, Number(token.claims["exp"]) * 1_000);
  if (signer === undefined) throw permissionDenied("the signature of the token does not match a key of its issuer");
  return signer;
}

export async function refresh(
  { database, tokens, settings, clock, securityLog }: SecurityTokenServiceOptions,
  request: ExchangeRefreshTokenRequest,
  call: AnonymousCall,
): Promise<TokenPair> {
  const wanted = {
    audiences: request.aud.length === 0 ? undefined : readAudiences(request.aud, settings),
    downscoping: readDownscoping(request),
  };
  const { bearer, slot } = call;
  const family = familyOf(bearer);
  if (family === undefined || !(await database.read((tx) => hasFamily(tx, family), slot.shares)))
    throw errorOf({ kind: "rejected", reason: "unknown" });
  const now = clock();
  // A failure is thrown after the transaction, because an error in it would roll back the end of the family.
  const rotated = async (tx: Writer, record: RecordEvent) => {
    const used = await useRefreshToken(tx, bearer, wanted, now);
    if (used.kind === "rejected" && used.reason === "reused") await endFamily(tx, family, now);
    if (used.kind === "rotated" && !(await updateLastSeen(tx, used.content.identityUid, now))) throw mismatch();
    const event = refreshEvent(used, call);
    if (event !== undefined) await record(event);
    return used;
  };
  const result = await writeWithEvent(database, securityLog, rotated, slot.shares);
  if (result.kind === "rejected") throw errorOf(result);
  const { token, expires } = await tokens.issue(result.content);
  return create(TokenPairSchema, {
    token: { token, expiry: timestampFromMs(expires) },
    refreshToken: { token: result.token, expiry: timestampFromMs(result.expires) },
  });
}

/** The record of a use of a refresh token. One that is not known is recorded as a refused call. */
function refreshEvent(used: RefreshResult, call: CallDetails): SecurityEvent | undefined {
  if (used.kind === "rejected" && used.reason !== "reused") return undefined;
  const { identityUid: identity, actor } = used.content;
  if (used.kind === "rotated") return identityEvent("refresh", { identity, actor }, call);
  // The identity itself, or whoever has stolen its token.
  const event = identityEvent("reuse", { identity, actor }, call);
  return { ...event, code: Code.permissionDenied, reason: errorOf(used).message };
}

function errorOf(failure: RefreshRejection): ApiError {
  switch (failure.reason) {
    case "unknown":
      return unauthenticated("the bearer token is not a valid refresh token, or its family has ended");
    case "reused": {
      const error = permissionDenied(
        "the refresh token was already used; its family has ended: exchange a subject token again",
      );
      error.isRecorded = true;
      return error;
    }
    case "wider":
      return permissionDenied("a refresh can only reduce what the exchange granted");
  }
}

/** One message for an unknown identity and for every mismatch, so that guessing reveals nothing. */
function mismatch(): ApiError {
  return permissionDenied("the token may not assume this identity, or the identity does not exist");
}

/** What prevents that the identity is assumed, even if the signature is valid and the patterns match. */
function mismatchIn(
  { settings: { authUrl }, patterns }: SecurityTokenServiceOptions,
  identity: Identity,
  token: SubjectToken,
): string | undefined {
  // The platform's own tokens are rejected: with them, one identity could assume another.
  if (token.issuer.replace(/\/$/, "") === authUrl) return "issuer";
  return exactMismatch(identity, token, new URL(authUrl).hostname, patterns);
}

export function readAudiences(requested: readonly string[], { baseUrl, audiences }: PlatformSettings): string[] {
  if (requested.length === 0) throw invalidArgument("aud", `is required: "${baseUrl}"`);
  const accepted = requested.map((name) => {
    const audience = name.replace(/\/$/, "") === baseUrl ? baseUrl : name;
    if (audience !== baseUrl && !audiences.includes(audience))
      throw invalidArgument("aud", `must be "${baseUrl}" or another configured audience`);
    return audience;
  });
  return [...new Set(accepted)];
}

/** A signed request to AWS is accepted once. */
function singleUseOf(token: AwsToken, identity: string): SingleUse {
  return { token: token.signature, owner: identity, expires: awsTokenExpiry(token) };
}

async function keysFor(
  { issuerKeys, staticKeys, log }: SecurityTokenServiceOptions,
  { relationship, uid }: Identity,
  { issuer, keyId }: SubjectToken,
  now: number,
): Promise<KeySet> {
  if (relationship.case === "staticKeys") {
    const { expirationTime, issuerKeys: document } = relationship.value;
    if (expirationTime !== undefined && timestampMs(expirationTime) <= now)
      throw permissionDenied("the identity's static keys have expired");
    return staticKeys.of(document);
  }
  try {
    return await issuerKeys.of(issuer, keyId, uid);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    log.warn({ err: error, identity: uid }, "fetching the keys of an issuer failed");
    const description = `fetching the keys of the token's issuer failed: the issuer ${error.message}`;
    throw error.transient ? unavailable(description) : permissionDenied(description);
  }
}
