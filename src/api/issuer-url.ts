import * as z from "zod";
import { matches, withRules } from "./rule.ts";

/** The issuer of a token (`iss`). It is compared as text, and the platform discovers the issuer's keys there. */
export function issuerUrl(description: string) {
  return withRules(
    z.string().max(1024),
    matches(
      /^https?:[/][/][^ \t\n\v\f\r?#]+$/,
      "an issuer must be a URL without query or fragment, identical to iss in the token, such as https://issuer.example.com",
    ),
  ).describe(description);
}
