import type { SubjectToken } from "./subject-token.ts";

/** What an exchange asked for. */
export interface ExchangeRequest {
  readonly audience: string;
  readonly authUrl: URL;
  /** Those of the subject token; undefined if it is not a JWT. */
  readonly claims: SubjectToken["claims"];
}

/**
 * What to do after the token service refused an exchange.
 * @param name of the code of the error, such as `PERMISSION_DENIED`
 * @returns undefined if the message says it all
 */
export function adviceForRefusal(name: string, message: string, request: ExchangeRequest): string | undefined {
  switch (name) {
    case "PERMISSION_DENIED":
      return adviceForToken(message, request) ?? adviceForIdentity(request);
    case "INVALID_ARGUMENT":
      return /\baud\b/.test(message)
        ? `The requested audience is ${request.audience}: correct --api-audience (MUSTER_API_AUDIENCE), or --audience of credential-helper kubectl`
        : undefined;
    case "NOT_FOUND":
      return `Correct --auth-url (MUSTER_AUTH_URL), which is ${request.authUrl.href}`;
    default:
      return undefined;
  }
}

/** For a token that no identity would accept. */
function adviceForToken(message: string, { claims }: ExchangeRequest): string | undefined {
  const fresh = `The workload's own token is the problem, not the Identity: use one that ${claims?.issuer ?? "its issuer"} has just issued`;
  if (/\bnot valid yet\b/.test(message)) return `${fresh}, and check the clock of its issuer and of the platform`;
  if (/\bsignature\b/.test(message))
    return `${fresh}; if spec.staticKeys of the Identity has the keys, write the current ones of this issuer there`;
  return /\b(expired|no expiry)\b/.test(message) ? fresh : undefined;
}

/** The platform does not say whether the identity is unknown or the token does not match it, so the advice covers both. */
function adviceForIdentity({ claims }: ExchangeRequest): string {
  const presented =
    claims === undefined
      ? "The workload's own token is not a JSON Web Token."
      : `The workload's own token has the issuer ${claims.issuer}, the subject ${claims.subject} and the audience ${claims.audience}: compare them, and the claims in spec.claimMatch.claims, with status.exchange of the Identity.`;
  return `${presented} An Identity that was created again has another uid: a pod that still has the old one in MUSTER_IDENTITY must be re-created`;
}

/** OpenSSL's codes for a certificate whose authority is not trusted. */
const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Why there is no connection, and what to do. @param message that of the error, in one line */
export function adviceForConnection(error: unknown, message: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EPROTO" && message.includes("wrong version number"))
    return "this address does not speak TLS; use http:// or another port in --auth-url (MUSTER_AUTH_URL)";
  if (code === undefined || !untrusted.has(code)) return message;
  // Node.js appends advice for its own command line.
  const [reason = message] = message.split(";");
  return `${reason}; name the certificate authority with --platform-ca (MUSTER_PLATFORM_CA)`;
}
