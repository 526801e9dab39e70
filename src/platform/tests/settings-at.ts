import type { PlatformSettings } from "#src/platform/service/platform-settings.ts";

/** How a platform of the tests is set that stands at `url`, where a test does not ask for something else. */
export function settingsAt(url: string): PlatformSettings {
  return {
    baseUrl: url,
    authUrl: url,
    audiences: [],
    refreshLifetime: 24 * 3_600_000,
    trustedIssuers: [],
    errorDomain: "iam.muster.dev",
    vendorAlias: undefined,
    uniqueNames: false,
    consistencyLag: 0,
    unknownFields: "refuse",
    deleteResponse: "nothing",
    rootGroupCreators: "admin",
  };
}
