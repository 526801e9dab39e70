import * as z from "zod";
import { issuerUrl } from "./issuer-url.ts";
import { atMostOneOf, exactlyOneOf, withRules } from "./rule.ts";
import { exactText, regularExpression } from "./text.ts";

const mostClaims = 32;

/** Claims by name, with what is said of each one's value. */
function claims(value: z.ZodType<string>) {
  const values = z
    .record(z.string(), value)
    .refine((record) => Object.keys(record).length <= mostClaims, `must have at most ${mostClaims} items`)
    .meta({ maxProperties: mostClaims });
  return withRules(values, {
    rule: "self.all(claim, claim != '' && size(claim) <= 256)",
    message: "a claim has a name, of at most 256 characters",
    holds: (record) => Object.keys(record).every((claim) => claim !== "" && claim.length <= 256),
  });
}

export const claimMatchSchema = withRules(
  z.object({
    issuer: issuerUrl(
      "The token's issuer, such as https://token.actions.githubusercontent.com. Exactly one of issuer and issuerPattern is set.",
    ).exactOptional(),
    issuerPattern: regularExpression
      .exactOptional()
      .describe(
        "A regular expression (RE2) that the whole issuer matches. Exactly one of issuer and issuerPattern is set.",
      ),
    subject: exactText
      .exactOptional()
      .describe(
        "The token's subject, such as repo:example/shop:ref:refs/heads/main. Exactly one of subject and subjectPattern is set.",
      ),
    subjectPattern: regularExpression
      .exactOptional()
      .describe(
        "A regular expression (RE2) that the whole subject matches. Exactly one of subject and subjectPattern is set.",
      ),
    audience: exactText
      .exactOptional()
      .describe(
        "The token's audience. At most one of audience and audiencePattern is set. Default, without either: the host name of the token service.",
      ),
    audiencePattern: regularExpression
      .exactOptional()
      .describe(
        "A regular expression (RE2) that the whole audience matches. At most one of audience and audiencePattern is set.",
      ),
    claims: claims(exactText.describe("The claim's whole value."))
      .exactOptional()
      .describe("Further claims that the token must have, each with its value."),
    claimPatterns: claims(regularExpression.describe("A regular expression (RE2) that the whole value matches."))
      .exactOptional()
      .describe("Further claims that the token must have, each with a regular expression (RE2) for its whole value."),
  }),
  exactlyOneOf(["issuer", "issuerPattern"], "a token is matched by who issued it"),
  exactlyOneOf(["subject", "subjectPattern"], "a token is matched by whom it was issued for"),
  atMostOneOf(["audience", "audiencePattern"], "without either, the token service's host name is expected"),
).describe(
  "The tokens that may assume the identity, by their claims; the issuer's keys are discovered. Compared and written as a whole. Exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity is set.",
);
