import * as z from "zod";
import { issuerUrl } from "./issuerUrl.ts";
import { withRules } from "./rule.ts";

const jwks = /^\s*[{](.|\s)*"keys"\s*:/;
const privateMember = /"(d|p|q|dp|dq|qi|oth|k)"\s*:/;

export const staticKeysSchema = withRules(
  z.object({
    issuer: issuerUrl("The token's issuer. It is never fetched."),
    subject: z.string().min(1).max(1024).describe("The token's subject."),
    issuerKeys: z
      .string()
      .max(65_536)
      .describe('The issuer\'s public keys: a JWKS document as a string, such as {"keys": [{"kty": "OKP", …}]}.'),
    expirationTime: z.iso
      .datetime({ offset: true })
      .exactOptional()
      .describe("Until when the keys are good. Default and maximum: 365 days after creation."),
    audiences: z
      .array(z.string().min(1).max(1024))
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
  {
    rule: `self.issuerKeys.matches(r'${jwks.source}')`,
    message: 'issuerKeys is a JWKS document: a JSON object with "keys"',
    fieldPath: ".issuerKeys",
    holds: ({ issuerKeys }) => jwks.test(issuerKeys),
  },
  // On the object, not on the field: the API server quotes the value of a field that it refuses.
  {
    rule: `!self.issuerKeys.matches(r'${privateMember.source}')`,
    message:
      "issuerKeys has a private or shared key in it: give the public keys only, and make new ones, as this one was shown",
    reason: "FieldValueForbidden",
    fieldPath: ".issuerKeys",
    holds: ({ issuerKeys }) => !privateMember.test(issuerKeys),
  },
).describe("Keys of an issuer that the platform cannot reach to discover them.");
