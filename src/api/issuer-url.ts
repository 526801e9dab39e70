import * as z from "zod";
import { matches, withRules } from "./rule.ts";

/** The `iss` of a token: compared as text, and where the platform finds the issuer's keys. */
export function issuerUrl(description: string) {
  return withRules(
    z.string().max(1024),
    matches(
      /^https?:[/][/][^ \t\n\v\f\r?#]+$/,
      "an issuer is a URL without query or fragment, exactly as in the token's iss, such as https://issuer.example.com",
    ),
  ).describe(description);
}
