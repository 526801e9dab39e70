import * as z from "zod";
import { issuerUrl } from "./issuer-url.ts";
import { withRules } from "./rule.ts";
import { exactText } from "./text.ts";
import { time } from "./timestamp.ts";

/** Also if its name is escaped: nothing that a JWKS must have needs an escaped letter. */
const privateMember = /"(d|p|q|dp|dq|qi|oth|k)"\s*:|\\u00[67]/;

export const staticKeysSchema = withRules(
  z.object({
    issuer: issuerUrl("Issuer of the token. The platform sends no request to it."),
    subject: exactText.describe("Subject of the token."),
    issuerKeys: z
      .string()
      .max(65_536)
      .describe(
        'Public keys of the issuer: a JWKS document as a string, such as {"keys": [{"kty": "OKP", "crv": "Ed25519", …}]}.',
      ),
    expirationTime: time
      .exactOptional()
      .describe(
        "Time at which the keys expire, such as 2027-01-31T00:00:00Z. At most 365 days after creation. Defaults to that maximum.",
      ),
    audiences: z
      .array(exactText.describe("One audience."))
      .max(16)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe(
        "Audience of the token. The list must have exactly one item. If absent, the token must have the audience that the platform expects by default: the host name of its token service, as in status.exchange.audience.",
      ),
  }),
  {
    rule: "!has(self.audiences) || size(self.audiences) == 1",
    message: "audiences must have exactly one item, or be absent for the platform's default",
    fieldPath: ".audiences",
    holds: ({ audiences }) => audiences === undefined || audiences.length === 1,
  },
  // The next two rules are on the parent of issuerKeys: the API server quotes an invalid value, and must not quote a key.
  {
    rule: `self.issuerKeys.matches(r'^\\s*[{]') && self.issuerKeys.matches(r'"keys"\\s*:\\s*\\[')`,
    message: 'issuerKeys must be a JWKS document as a string: a JSON object with a list named "keys"',
    fieldPath: ".issuerKeys",
    holds: ({ issuerKeys }) => isJwks(issuerKeys),
  },
  {
    rule: `!self.issuerKeys.matches(r'${privateMember.source}')`,
    message: "issuerKeys must not contain a private or symmetric key. Use public keys only, and replace the leaked key",
    reason: "FieldValueForbidden",
    fieldPath: ".issuerKeys",
    holds: ({ issuerKeys }) => !privateMember.test(issuerKeys),
  },
).describe(
  "Keys of an issuer that does not publish them where the platform can discover them. Exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity must be set.",
);

/** Stricter than the CEL rule, because CEL cannot parse JSON. */
function isJwks(text: string): boolean {
  try {
    return Array.isArray((JSON.parse(text) as { keys?: unknown } | null)?.keys);
  } catch {
    return false;
  }
}
