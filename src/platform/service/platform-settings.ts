import type { StsEndpoint } from "../tokens/aws-sts.ts";
import type { Quota } from "../limits/quota.ts";
import type { TrustedIssuer } from "../tokens/trusted-issuer.ts";

/** The addresses of this platform, and its behaviour where the contract leaves a choice. */
export interface PlatformSettings {
  /** The base URL of the API, without a trailing slash. It is the audience of API tokens. */
  readonly baseUrl: string;
  /** The URL of the token service, which is the issuer of API tokens. May equal `baseUrl`. */
  readonly authUrl: string;
  /** The audiences that API tokens may have in addition to `baseUrl`. */
  readonly audiences: readonly string[];
  /** Milliseconds from an exchange until its refresh tokens expire, however often they are used. */
  readonly refreshLifetime: number;
  /** How many refresh tokens an identity can have. The oldest ones end if there are more. */
  readonly maximumRefreshTokens: number;
  /** Milliseconds from a login until its refresh tokens expire, however often they are used. */
  readonly loginLifetime: number;
  /** Issuers at which anybody can have an account, in addition to those that are known. */
  readonly publicIssuers: readonly string[];
  readonly trustedIssuers: readonly TrustedIssuer[];
  /** Where the requests are sent that AWS principals sign. */
  readonly awsSts: StsEndpoint;
  /** The prefix of the headers that bind such a request to the token service and an identity. */
  readonly awsHeaderVendor: string;
  /** The origins whose pages may call the API from a browser. */
  readonly corsOrigins: readonly string[];
  /** `ErrorInfo.domain`. */
  readonly errorDomain: string;
  /** A vendor under whose package names (`<vendor>.platform…`) gRPC is served too. */
  readonly vendorAlias: string | undefined;
  /** Whether to reject the name of a sibling and a duplicate role binding (6). */
  readonly uniqueNames: boolean;
  /** Milliseconds during which calls on the children of a new group fail with code 7. */
  readonly consistencyLag: number;
  /** How to treat unknown fields in a request body. */
  readonly unknownFields: "refuse" | "ignore";
  /** The body of a successful DELETE: none, or an empty object. */
  readonly deleteResponse: "nothing" | "object";
  /** Whether the admin may put capabilities into a role that this platform does not know. They grant nothing. */
  readonly unknownCapabilities: "refuse" | "admin";
  /** What a caller may create where no group has a limit of its own. */
  readonly quota: Quota;
  /** The callers that can create root groups. */
  readonly rootGroupCreators: "admin" | "anyone";
}
