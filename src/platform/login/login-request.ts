/** Where the identity providers come from that the person can choose from. */
export type ProviderChoice =
  /** The providers of a group and of the groups above it. */
  { readonly kind: "group"; readonly uid: string } | { readonly kind: "provider"; readonly uid: string };

/** Where the result of a login goes. */
export type LoginTarget =
  /** A program that redeems a code with PKCE (RFC 8252). */
  | {
      readonly kind: "code";
      readonly redirectUri: string;
      readonly state: string | undefined;
      readonly challenge: string;
    }
  /** A client of the family, which receives the tokens in a redirect. */
  | {
      readonly kind: "token";
      readonly redirect: string;
      readonly refreshToken: boolean;
      /** The uid of the identity that the person must have; undefined for any. */
      readonly identity: string | undefined;
      /** The group that the token is restricted to; undefined for no restriction. */
      readonly group: string | undefined;
    }
  /** A device that polls (RFC 8628). */
  | {
      readonly kind: "device";
      /** The hash of the device code. */
      readonly device: string;
      /** The address that asked for the code, and when (ms): the person recognizes its own device by them. */
      readonly address: string;
      readonly time: number;
    };

/** A login that a program requested. It is plain JSON. */
export interface LoginRequest {
  readonly providers: ProviderChoice;
  /** The code of a group invite, redeemed at the end of the login. */
  readonly invite: string | undefined;
  readonly audiences: readonly string[];
  readonly target: LoginTarget;
}

/** Who a person is, as the identity provider asserts it. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  /** As `plainName` returns it. */
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
}
