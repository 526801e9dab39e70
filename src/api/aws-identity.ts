import * as z from "zod";
import { exactlyOneOf, matches, withRules } from "./rule.ts";
import { exactText, regularExpression } from "./text.ts";

export const awsIdentitySchema = withRules(
  z.object({
    awsAccount: withRules(
      z.string().max(32),
      matches(/^[0-9]{12}$/, 'an AWS account must be 12 digits, such as "123456789012"'),
    ).describe('AWS account: 12 digits in quotes, such as "123456789012".'),
    arn: exactText
      .exactOptional()
      .describe(
        "ARN of the caller, such as arn:aws:sts::123456789012:assumed-role/deploy/ci. Exactly one of arn and arnPattern must be set.",
      ),
    arnPattern: regularExpression
      .exactOptional()
      .describe(
        "Regular expression (RE2) that the whole ARN of the caller must match. Exactly one of arn and arnPattern must be set.",
      ),
    userId: exactText
      .exactOptional()
      .describe(
        "Unique ID of the caller, such as AROAEXAMPLEEXAMPLE123:ci. Exactly one of userId and userIdPattern must be set.",
      ),
    userIdPattern: regularExpression
      .exactOptional()
      .describe(
        "Regular expression (RE2) that the whole unique ID of the caller must match. Exactly one of userId and userIdPattern must be set.",
      ),
  }),
  exactlyOneOf(["arn", "arnPattern"]),
  exactlyOneOf(["userId", "userIdPattern"]),
).describe(
  "AWS principals that may assume the identity. Exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity must be set.",
);
