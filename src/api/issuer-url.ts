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

/**
 * Whether two issuers may be the same for some platform or provider, which need not distinguish them by upper and lower case, or by
 * slashes. Where a limit depends on an issuer, what may be the same counts as the same.
 */
export function mayBeSameIssuer(one: string, other: string): boolean {
  return comparableIssuer(one) === comparableIssuer(other);
}

/** The issuer as all that may be the same are written. */
export function comparableIssuer(issuer: string): string {
  const parts = issuer.toLowerCase().split("/");
  return parts.filter((part) => part !== "").join("/");
}
