import { isJsonObject, type JsonObject } from "#src/json/json-object.ts";
import { parseJsonObject } from "#src/json/parse-json.ts";

/** What a token of the platform says about its owner. */
export interface TokenClaims {
  /** The uid of the identity. */
  readonly identity: string | undefined;
  /** The issuer of the identity provider, and whom it logged in. */
  readonly issuer: string | undefined;
  readonly subject: string | undefined;
  readonly audiences: readonly string[];
  /** The uids that the token is limited to; undefined if it is not limited. */
  readonly scopes: readonly string[] | undefined;
  /** The capabilities that the token is limited to, by their dotted names; undefined if it is not limited. */
  readonly capabilities: readonly string[] | undefined;
  /** Whether the token may do less than the roles of its identity: it is limited to some groups or capabilities. */
  readonly isNarrowed: boolean;
}

/**
 * Reads the claims of a token that the platform has just issued to this process over a connection that it trusts. The signature
 * is not verified: the claims are shown and compared, and grant nothing. Undefined if the token is not a JWT.
 */
export function readTokenClaims(token: string): TokenClaims | undefined {
  const claims = readTokenPayload(token);
  if (claims === undefined) return undefined;
  const actor = isJsonObject(claims["act"]) ? claims["act"] : {};
  const { aud, cap, scopes } = claims;
  return {
    identity: textOf(claims["sub"]),
    issuer: textOf(actor["iss"]),
    subject: textOf(actor["sub"]),
    isNarrowed: cap !== undefined || scopes !== undefined,
    audiences: (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === "string"),
    scopes: textsOf(scopes),
    capabilities: textsOf(cap),
  };
}

/** All claims of a token, not verified. Undefined if the token is not a JWT. */
export function readTokenPayload(token: string): JsonObject | undefined {
  const [, payload = ""] = token.split(".");
  return parseJsonObject(Buffer.from(payload, "base64url").toString("utf8"));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;
}
