/** Issuers at which anybody can have an account. A person from there needs an invite for the first login. */
const publicIssuers: ReadonlySet<string> = new Set([
  "https://accounts.google.com",
  "https://appleid.apple.com",
  "https://gitlab.com",
  // Personal accounts of Microsoft. The issuers of organizations have their own numbers.
  "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
  "https://login.salesforce.com",
  "https://www.facebook.com",
  "https://www.linkedin.com/oauth",
  "https://slack.com",
  "https://discord.com",
  "https://id.twitch.tv/oauth2",
  "https://api.login.yahoo.com",
  "https://access.line.me",
  "https://kauth.kakao.com",
  "https://orcid.org",
  "https://issuer.hello.coop",
  "https://oauth2.sigstore.dev/auth",
  "https://www.paypalobjects.com",
  "https://secure.login.gov",
]);

/** @param additional issuers that the settings add to the list */
export function isPublicIssuer(issuer: string, additional: readonly string[]): boolean {
  const plain = withoutSlash(issuer);
  return publicIssuers.has(plain) || additional.some((one) => withoutSlash(one) === plain);
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}
