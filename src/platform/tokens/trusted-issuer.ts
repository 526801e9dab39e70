/** An issuer that the operators of the platform trust, so it may have a private address. */
export interface TrustedIssuer {
  readonly issuer: string;
  /** The certificate authorities for its URL in PEM; undefined for those of the system. */
  readonly ca: string | undefined;
  /** The URL of its keys; undefined for discovery. */
  readonly jwksUrl: string | undefined;
}
