import * as z from "zod";
import { issuerUrl } from "./issuerUrl.ts";
import { atMostOneOf, exactlyOneOf, withRules } from "./rule.ts";

const text = z.string().min(1).max(1024);

/** A regular expression. That it compiles is judged by the API server, whose engine is RE2 as the platform's is. */
function pattern(description: string) {
  return withRules(text, {
    rule: "''.matches(self) in [true, false]",
    message: "not a regular expression in RE2's syntax",
  }).describe(description);
}

export const claimMatchSchema = withRules(
  z.object({
    issuer: issuerUrl(
      "The token's issuer, such as https://token.actions.githubusercontent.com. Exactly one of issuer and issuerPattern is set.",
    ).exactOptional(),
    issuerPattern: pattern(
      "A regular expression (RE2) that the whole issuer matches. Exactly one of issuer and issuerPattern is set.",
    ).exactOptional(),
    subject: text
      .exactOptional()
      .describe(
        "The token's subject, such as repo:example/shop:ref:refs/heads/main. Exactly one of subject and subjectPattern is set.",
      ),
    subjectPattern: pattern(
      "A regular expression (RE2) that the whole subject matches. Exactly one of subject and subjectPattern is set.",
    ).exactOptional(),
    audience: text
      .exactOptional()
      .describe("The token's audience. Default, without audiencePattern too: the host name of the token service."),
    audiencePattern: pattern(
      "A regular expression (RE2) that the whole audience matches. At most one of audience and audiencePattern is set.",
    ).exactOptional(),
    claims: z
      .record(z.string(), text)
      .meta({ maxProperties: 32 })
      .exactOptional()
      .describe("Further claims that the token must have, each with its value."),
    claimPatterns: z
      .record(z.string(), pattern("A regular expression (RE2) that the whole value matches."))
      .meta({ maxProperties: 32 })
      .exactOptional()
      .describe("Further claims that the token must have, each with a regular expression (RE2) for its whole value."),
  }),
  exactlyOneOf(["issuer", "issuerPattern"], "a token is matched by who issued it"),
  exactlyOneOf(["subject", "subjectPattern"], "a token is matched by whom it was issued for"),
  atMostOneOf(["audience", "audiencePattern"], "without either, the token service's host name is expected"),
).describe(
  "The tokens that may assume the identity, by their claims; the issuer's keys are discovered. Compared and written as a whole.",
);
