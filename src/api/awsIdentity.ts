import * as z from "zod";
import { exactlyOneOf, matches, withRules } from "./rule.ts";

const text = z.string().min(1).max(1024);

export const awsIdentitySchema = withRules(
  z.object({
    awsAccount: withRules(
      z.string().max(32),
      matches(/^[0-9]{12}$/, 'an AWS account is 12 digits, quoted: "123456789012"'),
    ).describe('The AWS account: 12 digits, quoted, such as "123456789012".'),
    arn: text.exactOptional().describe("The caller's ARN. Exactly one of arn and arnPattern is set."),
    arnPattern: text
      .exactOptional()
      .describe("A regular expression (RE2) that the whole ARN matches. Exactly one of arn and arnPattern is set."),
    userId: text.exactOptional().describe("The caller's unique id. Exactly one of userId and userIdPattern is set."),
    userIdPattern: text
      .exactOptional()
      .describe(
        "A regular expression (RE2) that the whole unique id matches. Exactly one of userId and userIdPattern is set.",
      ),
  }),
  exactlyOneOf(["arn", "arnPattern"], "a caller is matched by its ARN"),
  exactlyOneOf(["userId", "userIdPattern"], "a caller is matched by its unique id"),
).describe("The AWS principals that may assume the identity.");
