import * as z from "zod";
import { exactlyOneOf, matches, withRules } from "./rule.ts";
import { exactText, regularExpression } from "./text.ts";

export const awsIdentitySchema = withRules(
  z.object({
    awsAccount: withRules(
      z.string().max(32),
      matches(/^[0-9]{12}$/, 'an AWS account is 12 digits, such as "123456789012"'),
    ).describe('The AWS account: 12 digits in quotes, such as "123456789012".'),
    arn: exactText
      .exactOptional()
      .describe(
        "The caller's ARN, such as arn:aws:sts::123456789012:assumed-role/deploy/ci. Exactly one of arn and arnPattern is set.",
      ),
    arnPattern: regularExpression
      .exactOptional()
      .describe("A regular expression (RE2) that the whole ARN matches. Exactly one of arn and arnPattern is set."),
    userId: exactText
      .exactOptional()
      .describe(
        "The caller's unique id, such as AROAEXAMPLEEXAMPLE123:ci. Exactly one of userId and userIdPattern is set.",
      ),
    userIdPattern: regularExpression
      .exactOptional()
      .describe(
        "A regular expression (RE2) that the whole unique id matches. Exactly one of userId and userIdPattern is set.",
      ),
  }),
  exactlyOneOf(["arn", "arnPattern"], "a caller is matched by its ARN"),
  exactlyOneOf(["userId", "userIdPattern"], "a caller is matched by its unique id"),
).describe(
  "The AWS principals that may assume the identity. Exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity is set.",
);
