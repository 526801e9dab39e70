import { fits, subjectRule } from "../contract/text-rule.ts";
import type { ApiError } from "../errors/api-error.ts";
import type { KeySet } from "../tokens/key-set.ts";
import { checkTime, readSubjectToken, type SubjectToken } from "../tokens/subject-token.ts";
import type { Person } from "./login-request.ts";
import { OAuthError } from "./oauth-error.ts";
import { plainName } from "./vouched-person.ts";

/** The maximum length of an e-mail address. */
const longestEmail = 254;

export interface ExpectedToken {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  /** The time now (ms). */
  readonly now: number;
  readonly keysOf: (keyId: string | undefined) => Promise<KeySet>;
}

/**
 * Who an ID token (OpenID Connect Core, 3.1.3.7) says that the person is. Its signature is verified as that of a subject token.
 * @throws OAuthError (access_denied) if it is not for this login; what `keysOf` throws
 */
export async function personIn(text: string, { issuer, clientId, nonce, now, keysOf }: ExpectedToken): Promise<Person> {
  const token = judged(() => readSubjectToken(text));
  const { claims, audiences } = token;
  const { azp, iat, name, email, email_verified: verified } = claims;
  if (token.issuer !== issuer) throw invalid("is from another issuer");
  if (!audiences.includes(clientId)) throw invalid("is for another client");
  if ((audiences.length > 1 || azp !== undefined) && azp !== clientId) throw invalid("is for another client (azp)");
  if (claims["nonce"] !== nonce) throw invalid("is of another login (nonce)");
  if (iat === undefined) throw invalid("has no time (iat)");
  judged(() => checkTime(token, now));
  if (!fits(subjectRule, token.subject)) throw invalid("has a subject that is empty or too long");
  const keys = await keysOf(token.keyId);
  if ((await keys.signerOf(text)) === undefined) throw invalid("is not signed with a key of its issuer");
  const isAddress = typeof email === "string" && email !== "" && email.length <= longestEmail;
  return {
    issuer,
    subject: token.subject,
    name: plainName(name),
    email: isAddress ? email : undefined,
    // Some providers send a text.
    emailVerified: isAddress && (verified === true || verified === "true"),
  };
}

/** Errors of a subject token, in the words of a login. */
function judged<T extends SubjectToken | void>(judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    throw invalid(`was rejected: ${(error as ApiError).message}`);
  }
}

function invalid(why: string): OAuthError {
  return new OAuthError("access_denied", `the ID token of the identity provider ${why}`);
}
