import * as z from "zod";
import { awsAccount } from "./aws-account.ts";
import { exactlyOneOf, withRules } from "./rule.ts";
import { exactText, regularExpression } from "./text.ts";

export const awsIdentitySchema = withRules(
  z.object({
    awsAccount,
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
