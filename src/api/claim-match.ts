import * as z from "zod";
import { issuerUrl } from "./issuer-url.ts";
import { atMostOneOf, exactlyOneOf, withRules } from "./rule.ts";
import { exactText, regularExpression } from "./text.ts";

const maxClaims = 32;

/** A map from the name of a claim to `value`. */
function claims(value: z.ZodType<string>) {
  const values = z
    .record(z.string(), value)
    .refine((record) => Object.keys(record).length <= maxClaims, `must have at most ${maxClaims} items`)
    .meta({ maxProperties: maxClaims });
  return withRules(values, {
    rule: "self.all(claim, claim != '' && size(claim) <= 256)",
    message: "the name of a claim must have 1 to 256 characters",
    holds: (record) => Object.keys(record).every((claim) => claim !== "" && claim.length <= 256),
  });
}

export const claimMatchSchema = withRules(
  z.object({
    issuer: issuerUrl(
      "Issuer of the token: an https URL, such as https://token.actions.githubusercontent.com. Exactly one of issuer and issuerPattern must be set.",
    ).exactOptional(),
    issuerPattern: regularExpression
      .exactOptional()
      .describe(
        "Regular expression (RE2) that the whole issuer must match. Exactly one of issuer and issuerPattern must be set.",
      ),
    subject: exactText
      .exactOptional()
      .describe(
        "Subject of the token, such as repo:example/shop:ref:refs/heads/main. Exactly one of subject and subjectPattern must be set.",
      ),
    subjectPattern: regularExpression
      .exactOptional()
      .describe(
        "Regular expression (RE2) that the whole subject must match. If the Tenant limits subjects to prefixes, each alternative must begin with one as literal text, and the pattern may contain only literal text, groups, alternatives, classes and quantifiers. Exactly one of subject and subjectPattern must be set.",
      ),
    audience: exactText
      .exactOptional()
      .describe(
        "Audience of the token. At most one of audience and audiencePattern may be set. If neither is set, the audience must be the host name of the token service.",
      ),
    audiencePattern: regularExpression
      .exactOptional()
      .describe(
        "Regular expression (RE2) that the whole audience must match. At most one of audience and audiencePattern may be set.",
      ),
    claims: claims(exactText.describe("Exact value of the claim."))
      .exactOptional()
      .describe("Additional claims that the token must have, by name, each with its exact value."),
    claimPatterns: claims(regularExpression.describe("Regular expression (RE2) that the whole value must match."))
      .exactOptional()
      .describe(
        "Additional claims that the token must have, by name, each with a regular expression (RE2) that the whole value must match.",
      ),
  }),
  exactlyOneOf(["issuer", "issuerPattern"]),
  exactlyOneOf(["subject", "subjectPattern"]),
  atMostOneOf(["audience", "audiencePattern"]),
).describe(
  "Claims of the OIDC tokens that may assume the identity. The platform discovers the keys of the issuer. The field is managed as a whole. Exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity must be set.",
);

export type ClaimMatch = z.output<typeof claimMatchSchema>;
