import * as z from "zod";
import { matches, withRules } from "./rule.ts";

/** The `iss` of a token: compared as text, and fetched from by the platform for its keys. */
export function issuerUrl(description: string) {
  return withRules(
    z.string().max(1024),
    matches(
      /^https?:[/][/][^\s?#]+$/,
      "an issuer is a URL without query or fragment, exactly as in the token's iss, such as https://issuer.example.com",
    ),
  ).describe(description);
}
