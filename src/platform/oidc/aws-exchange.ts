import type { Logger } from "pino";
import { permissionDenied, unavailable } from "../errors/api-error.ts";
import type { Identity_AWSIdentity as AWSIdentity } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import type { AwsPrincipal, AwsSts } from "../tokens/aws-sts.ts";
import { type AwsToken, checkAwsToken } from "../tokens/aws-token.ts";
import { firstMismatch, type Match } from "../tokens/claim-match.ts";
import { FetchError } from "../tokens/fetch-document.ts";
import type { PatternCache } from "../tokens/pattern-cache.ts";

export interface AwsExchangeOptions {
  readonly awsSts: AwsSts;
  readonly patterns: PatternCache;
  readonly authUrl: string;
  readonly log: Logger;
}

/**
 * The AWS principal that signed a token for the identity. AWS is asked only if the token is for this platform and identity,
 * and was signed recently.
 * @throws ApiError (7) if the token is not valid, (14) if AWS cannot be asked
 */
export async function awsPrincipalOf(
  { awsSts, authUrl, log }: AwsExchangeOptions,
  identity: string,
  token: AwsToken,
  now: number,
): Promise<AwsPrincipal> {
  checkAwsToken(token, { authUrl, identity, now });
  let principal: AwsPrincipal | undefined;
  try {
    principal = await awsSts.principalOf(token, identity);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    log.warn({ err: error, identity }, "asking AWS for the principal of a token failed");
    throw unavailable(`asking AWS for the principal of the token failed: AWS STS ${error.message}`);
  }
  if (principal === undefined) throw permissionDenied("AWS does not accept the signature of the token");
  return principal;
}

/** What does not match in a principal; undefined if the identity is for it. @throws ApiError (7) as `firstMismatch` */
export function awsMismatch(
  { awsAccount, awsArn, awsUserId }: AWSIdentity,
  { account, arn, userId }: AwsPrincipal,
  patterns: PatternCache,
): string | undefined {
  if (account !== awsAccount) return "AWS account";
  if (awsArn.case !== "arnPattern" && arn !== awsArn.value) return "ARN";
  if (awsUserId.case !== "userIdPattern" && userId !== awsUserId.value) return "user id";
  const matches: Match[] = [];
  if (awsArn.case === "arnPattern") matches.push({ what: "ARN", pattern: awsArn.value, texts: [arn] });
  if (awsUserId.case === "userIdPattern") matches.push({ what: "user id", pattern: awsUserId.value, texts: [userId] });
  return firstMismatch(matches, patterns);
}
