import type { SecurityLog } from "./audit/security-log.ts";
import type { SecurityTokenServiceOptions } from "./oidc/security-token-service.ts";
import type { PlatformOptions } from "./platform-options.ts";
import type { PlatformSettings } from "./service/platform-settings.ts";
import { RateLimit } from "./service/rate-limit.ts";
import type { ApiTokens } from "./tokens/api-token.ts";
import { AwsSts } from "./tokens/aws-sts.ts";
import { documentFetcher } from "./tokens/fetch-document.ts";
import { IssuerKeys } from "./tokens/issuer-keys.ts";
import { PatternCache } from "./tokens/pattern-cache.ts";
import { StaticKeySets } from "./tokens/static-keys.ts";
import { VerifiedSignatures } from "./tokens/verified-signatures.ts";

/** What the token service and the pages of logins need of the options and settings. */
export function tokenServiceOptions(
  {
    database,
    clock,
    log,
    names,
    rateLimit: callsPerSecond,
    maximumIssuerRequests: maximumRequests,
  }: Pick<PlatformOptions, "database" | "clock" | "log" | "names" | "rateLimit" | "maximumIssuerRequests">,
  settings: PlatformSettings,
  tokens: ApiTokens,
  securityLog: SecurityLog,
): SecurityTokenServiceOptions {
  const fetch = documentFetcher(names);
  return {
    database,
    fetch,
    tokens,
    issuerKeys: new IssuerKeys({ trusted: settings.trustedIssuers, clock, maximumRequests, fetch }),
    staticKeys: new StaticKeySets(),
    signatures: new VerifiedSignatures(clock),
    patterns: new PatternCache(),
    awsSts: new AwsSts(settings.awsSts, fetch, maximumRequests),
    rateLimit: callsPerSecond === undefined ? undefined : new RateLimit(callsPerSecond, clock),
    settings,
    clock,
    log,
    securityLog,
  };
}
