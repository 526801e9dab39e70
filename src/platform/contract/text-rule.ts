/** What a text must look like: what the platform checks, and what it tells clients in its OpenAPI document. */
export interface TextRule {
  /** As JSON Schema reads it: ECMAScript's, with the flag `u`. It need not match the whole unless it says so. */
  readonly pattern: RegExp;
  /** In characters. */
  readonly maxLength?: number;
  /** Says what is more to it than the pattern, in JSON Schema's words: `regex-re2`, `jwks`. */
  readonly format?: string;
}

export function fits({ pattern, maxLength }: TextRule, text: string): boolean {
  return (maxLength === undefined || text.length <= maxLength) && pattern.test(text);
}

/** Names of resources. The length is what an index of PostgreSQL holds beside the longest uid. */
export const nameRule: TextRule = { pattern: /^[a-z0-9 ._-]{1,}$/u, maxLength: 1_024 };

export const descriptionRule: TextRule = { pattern: /^[\S ]{0,512}$/u };

/**
 * A uid is the path of a resource: 40 hex digits for a root, and for each child `/` and 16 more. No tree is as deep as
 * the bound allows; it keeps ancestors and index keys small.
 */
export const uidRule: TextRule = { pattern: /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/u, maxLength: 40 + 17 * 64 };

// oxlint-disable-next-line no-control-regex -- PostgreSQL's text has no place for it.
const withoutNul = /^[^\u0000]+$/u;

/** Something, and without NUL. */
export const presentRule: TextRule = { pattern: withoutNul };

/** The subject of tokens. OpenID Connect allows 255 characters; it is searched by, together with the issuer. */
export const subjectRule: TextRule = { pattern: withoutNul, maxLength: 400 };

/** An issuer whose keys are given need not be an address. */
export const issuerNameRule: TextRule = { pattern: /^[!-~]+$/u, maxLength: 1_024 };

/** Only what can be fetched over https can ever vouch for a token. */
export const issuerRule: TextRule = { pattern: /^https:\/\/[!-~]+$/u, maxLength: 1_024 };

/** A regular expression of RE2. What one costs grows with its length. */
export const patternRule: TextRule = { pattern: withoutNul, maxLength: 1_024, format: "regex-re2" };

/** A JWKS document with public keys. */
export const jwksRule: TextRule = { pattern: /^\s*\{/u, format: "jwks" };

/** As the OCI image specification writes one: `algorithm:encoded`. */
export const digestRule: TextRule = {
  pattern: /^[a-z0-9]+([+._-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$/u,
  maxLength: 256,
};

export const awsAccountRule: TextRule = { pattern: /^[0-9]{12}$/u };

/** An e-mail address, or none. */
export const emailRule: TextRule = { pattern: /^([^\s@]+@[^\s@]+)?$/u };
