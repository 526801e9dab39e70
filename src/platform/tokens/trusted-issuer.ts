/** An issuer that the host of the platform vouches for: it may have a private address. */
export interface TrustedIssuer {
  readonly issuer: string;
  /** Certificates that vouch for its address, in PEM; the system's where undefined. */
  readonly ca: string | undefined;
  /** Where its keys are; discovered where undefined. */
  readonly jwksUrl: string | undefined;
}
