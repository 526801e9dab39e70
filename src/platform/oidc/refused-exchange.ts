import type { ApiError } from "../errors/api-error.ts";
import type { SubjectToken } from "../tokens/subject-token.ts";

/** The exchange of a subject token that is refused. */
export interface RefusedExchange {
  /** The uid of the identity that was to be assumed; undefined if there is none with the uid that the caller sent. */
  readonly identity: string | undefined;
  /** What does not fit, for the host of the platform: the caller learns less. */
  readonly mismatch: string;
  readonly token: Pick<SubjectToken, "issuer" | "subject" | "audiences">;
}

const longestText = 400;
const mostAudiences = 10;

/** Adds to the error, for the host's log, what does not fit. The claims were possibly not verified, and may be long. */
export function explained(error: ApiError, { identity, mismatch, token }: RefusedExchange): ApiError {
  const [issuer, subject] = [bounded(token.issuer), bounded(token.subject)];
  const audiences = token.audiences.slice(0, mostAudiences).map(bounded);
  error.explanation = { subject: identity, fields: { identity, mismatch, issuer, subject, audiences } };
  return error;
}

function bounded(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText).toWellFormed()}…`;
}
