/** Whether two issuers may be the same: some platforms and providers do not distinguish them by slashes at the end. */
export function isSameIssuer(a: string, b: string): boolean {
  return canonicalIssuer(a) === canonicalIssuer(b);
}

/** The issuer as all that may be the same are written: without slashes at the end. */
export function canonicalIssuer(issuer: string): string {
  return issuer.replace(/\/+$/, "");
}
