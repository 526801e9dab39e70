import { tokenLimits } from "#src/platform/limits/token-limits.ts";
import { quotaLimits } from "#src/platform/limits/quota.ts";
import type { PlatformSettings } from "#src/platform/service/platform-settings.ts";

/** The default settings of a platform at `url` in tests. */
export function settingsAt(url: string): PlatformSettings {
  return {
    baseUrl: url,
    authUrl: url,
    audiences: [],
    refreshLifetime: 24 * 3_600_000,
    maximumRefreshTokens: tokenLimits.refreshTokens.value,
    loginLifetime: 24 * 3_600_000,
    publicIssuers: [],
    trustedIssuers: [],
    awsSts: { url: "https://sts.amazonaws.com", ca: undefined, privateAddresses: false },
    awsHeaderVendor: "Muster",
    corsOrigins: [],
    errorDomain: "iam.muster.dev",
    vendorAlias: undefined,
    uniqueNames: false,
    consistencyLag: 0,
    unknownFields: "refuse",
    deleteResponse: "nothing",
    unknownCapabilities: "refuse",
    quota: {
      resources: quotaLimits.resources.value,
      roleBindingsPerIdentity: quotaLimits.roleBindingsPerIdentity.value,
      auditBytes: quotaLimits.auditBytes.value,
    },
    rootGroupCreators: "admin",
  };
}
