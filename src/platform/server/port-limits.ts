/** What the port takes of a client at most, so that slow, greedy and vanished ones cost little. Times in milliseconds. */
export interface PortLimits {
  /** Until a connection has said what it speaks: its TLS handshake, then its first bytes. */
  readonly openingTime: number;
  /** Until the headers of a request are there. */
  readonly headersTime: number;
  /** From the headers of a call to the last byte of its answer; streams aside. */
  readonly callTime: number;
  /** Without a byte in either direction. Longer than clients keep theirs, so that they are the ones to close. */
  readonly idleTime: number;
  /** Bytes of all headers of a request: a bearer token is a few KiB at most. */
  readonly headerBytes: number;
  /** Bytes of a body: no request of the contract is larger, the largest is a JWKS document. */
  readonly bodyBytes: number;
  /** Requests at once on one connection of HTTP/2. */
  readonly streams: number;
  /** Connections at once; those beyond are closed as they come. */
  readonly connections: number;
}

export const portLimits: PortLimits = {
  openingTime: 10_000,
  headersTime: 10_000,
  callTime: 60_000,
  idleTime: 75_000,
  headerBytes: 32 * 1024,
  bodyBytes: 1024 * 1024,
  streams: 250,
  connections: 10_000,
};
