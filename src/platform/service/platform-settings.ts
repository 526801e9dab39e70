import type { TrustedIssuer } from "../tokens/trusted-issuer.ts";

/** How this platform behaves where platforms of this family may differ, and where it stands. */
export interface PlatformSettings {
  /** The address of the API, without a slash at its end: the audience of API tokens. */
  readonly baseUrl: string;
  /** The address of the token service: the issuer of API tokens. May equal `baseUrl`. */
  readonly authUrl: string;
  /** Audiences of API tokens beside `baseUrl`. */
  readonly audiences: readonly string[];
  /** Milliseconds after which an exchange's refresh tokens end, however often they were used. */
  readonly refreshLifetime: number;
  readonly trustedIssuers: readonly TrustedIssuer[];
  /** `ErrorInfo.domain`. */
  readonly errorDomain: string;
  /** Under whose package names (`<vendor>.platform…`) gRPC is served too. */
  readonly vendorAlias: string | undefined;
  /** Refuse a name that a sibling has, and a binding that exists. */
  readonly uniqueNames: boolean;
  /** Milliseconds for which a new group's children are answered with code 7. */
  readonly consistencyLag: number;
  readonly unknownFields: "refuse" | "ignore";
  /** What a successful DELETE answers. */
  readonly deleteResponse: "nothing" | "object";
  /** Who may make root groups. */
  readonly rootGroupCreators: "admin" | "anyone";
}
