/** A rule for strings, which the platform checks and publishes in the OpenAPI document. */
export interface TextRule {
  /** An ECMAScript pattern with the flag `u`, as in JSON Schema. It is not anchored implicitly. */
  readonly pattern: RegExp;
  /** In characters. */
  readonly maxLength?: number;
  /** A `format` as in JSON Schema, for what the pattern does not express: `regex-re2`, `jwks`. */
  readonly format?: string;
}

export function fits({ pattern, maxLength }: TextRule, text: string): boolean {
  return (maxLength === undefined || text.length <= maxLength) && pattern.test(text);
}

/** Names of resources. The length leaves room for the longest uid in the same PostgreSQL index entry. */
export const nameRule: TextRule = { pattern: /^[a-z0-9 ._-]{1,}$/u, maxLength: 1_024 };

export const descriptionRule: TextRule = { pattern: /^[\S ]{0,512}$/u };

/**
 * A uid is the path of a resource: 40 hex digits for a root, and `/` and 16 more for each level below it. The limit of
 * 64 levels is far above any real tree; it bounds the number of ancestors and the size of index keys.
 */
export const uidRule: TextRule = { pattern: /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/u, maxLength: 40 + 17 * 64 };

// oxlint-disable-next-line no-control-regex -- PostgreSQL cannot store NUL in text.
const withoutNul = /^[^\u0000]+$/u;

/** A non-empty string without NUL. */
export const presentRule: TextRule = { pattern: withoutNul };

/** The subject of tokens. OpenID Connect allows 255 characters. It is indexed together with the issuer, hence the limit. */
export const subjectRule: TextRule = { pattern: withoutNul, maxLength: 400 };

/** The issuer of an identity with static keys, which does not have to be a URL. */
export const issuerNameRule: TextRule = { pattern: /^[!-~]+$/u, maxLength: 1_024 };

/** An issuer whose keys are discovered, so it must be an https URL. */
export const issuerRule: TextRule = { pattern: /^https:\/\/[!-~]+$/u, maxLength: 1_024 };

/** An RE2 regular expression. Its cost grows with its length. */
export const patternRule: TextRule = { pattern: withoutNul, maxLength: 1_024, format: "regex-re2" };

/** A JWKS document with public keys. */
export const jwksRule: TextRule = { pattern: /^\s*\{/u, format: "jwks" };

/** A digest as in the OCI image specification: `algorithm:encoded`. */
export const digestRule: TextRule = {
  pattern: /^[a-z0-9]+([+._-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$/u,
  maxLength: 256,
};

export const awsAccountRule: TextRule = { pattern: /^[0-9]{12}$/u };

/** A number that is an identifier, such as that of a project. */
export const digitsRule: TextRule = { pattern: /^[0-9]+$/u, maxLength: 32 };

/** An e-mail address, or the empty string. */
export const emailRule: TextRule = { pattern: /^([^\s@]+@[^\s@]+)?$/u };
