import { isIP } from "node:net";
import { isPublicAddress } from "./public-address.ts";
import type { TrustedIssuer } from "./trusted-issuer.ts";

/**
 * Why the keys of an issuer can never be discovered, whatever it does; undefined if they might be. A name is not resolved:
 * its addresses change.
 */
export function whyNeverFetched(issuer: string, trusted: readonly TrustedIssuer[]): string | undefined {
  const url = URL.parse(issuer);
  if (url === null || url.protocol !== "https:") return "must be an https URL";
  if (/[?#]/.test(issuer)) return "must not have a query or a fragment: discovery appends a path to it";
  if (trusted.some((entry) => entry.issuer === issuer)) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isLocal = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  return isLocal
    ? "does not have a public address, so its keys are never fetched, unless the platform is started with --trusted-issuer for it"
    : undefined;
}
