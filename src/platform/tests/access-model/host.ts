/** The one moment at which all of it happens. */
export const now = Date.parse("2026-01-31T12:00:00Z");

/** How the platforms that are asked are set. */
export const settings = {
  baseUrl: "https://platform.example.com",
  authUrl: "https://platform.example.com",
  audiences: [],
  refreshLifetime: 3_600_000,
  trustedIssuers: [],
  errorDomain: "iam.muster.dev",
  vendorAlias: undefined,
  uniqueNames: false,
  consistencyLag: 0,
  unknownFields: "refuse",
  deleteAnswer: "nothing",
  rootGroupCreators: "admin",
} as const;
