import * as z from "zod";
import { issuerUrl } from "./issuer-url.ts";
import { withRules } from "./rule.ts";
import { exactText } from "./text.ts";

const privateMember = /"(d|p|q|dp|dq|qi|oth|k)"\s*:/;

export const staticKeysSchema = withRules(
  z.object({
    issuer: issuerUrl("The token's issuer. It is never fetched."),
    subject: exactText.describe("The token's subject."),
    issuerKeys: z
      .string()
      .max(65_536)
      .describe(
        'The issuer\'s public keys: a JWKS document as a string, such as {"keys": [{"kty": "OKP", "crv": "Ed25519", …}]}.',
      ),
    expirationTime: z.iso
      .datetime({ offset: true })
      .exactOptional()
      .describe(
        "Until when the keys are good, such as 2027-01-31T00:00:00Z. Default and maximum: 365 days after creation.",
      ),
    audiences: z
      .array(exactText.describe("The audience."))
      .max(16)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .describe("The token's audience: exactly one."),
  }),
  {
    rule: "size(self.audiences) == 1",
    message: "give exactly one audience",
    fieldPath: ".audiences",
    holds: ({ audiences }) => audiences.length === 1,
  },
  // These two are rules on what holds issuerKeys: the API server quotes a refused value, and a key is not to be quoted.
  {
    rule: `self.issuerKeys.matches(r'^\\s*[{]') && self.issuerKeys.matches(r'"keys"\\s*:\\s*\\[')`,
    message: 'issuerKeys must be a JWKS document, a JSON object with a list "keys", as a string',
    fieldPath: ".issuerKeys",
    holds: ({ issuerKeys }) => isJwks(issuerKeys),
  },
  {
    rule: `!self.issuerKeys.matches(r'${privateMember.source}')`,
    message:
      "issuerKeys holds a private or shared key: give public keys only, and replace that key, as it has been shown",
    reason: "FieldValueForbidden",
    fieldPath: ".issuerKeys",
    holds: ({ issuerKeys }) => !privateMember.test(issuerKeys),
  },
).describe(
  "Keys of an issuer from which the platform cannot discover them. Exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity is set.",
);

/** More than the API server can judge: CEL does not read JSON. */
function isJwks(text: string): boolean {
  try {
    return Array.isArray((JSON.parse(text) as { keys?: unknown } | null)?.keys);
  } catch {
    return false;
  }
}
