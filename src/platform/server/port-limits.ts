import { minutes } from "#src/time/durations.ts";

/** The limits of the port for its clients, so that slow or vanished ones cost little. Times are in milliseconds. */
export interface PortLimits {
  /** For the TLS handshake, and for the first bytes of a connection. */
  readonly openingTime: number;
  /** For receiving the headers of a request. */
  readonly headersTime: number;
  /** From the headers of a call to the last byte of its response. Streams are not limited. */
  readonly callTime: number;
  /** For a connection without traffic. Longer than the idle timeout of clients, so that they close first. */
  readonly idleTime: number;
  /** Bytes of all headers of a request. A bearer token has at most a few KiB. */
  readonly headerBytes: number;
  /** Bytes of a body. The largest requests of the contract contain a JWKS document. */
  readonly bodyBytes: number;
  /** Concurrent streams of an HTTP/2 connection. */
  readonly streams: number;
  /** Concurrent connections. More are closed as soon as they are accepted. */
  readonly connections: number;
}

export const portLimits: PortLimits = {
  openingTime: 10_000,
  headersTime: 10_000,
  callTime: minutes(1),
  idleTime: 75_000,
  headerBytes: 32 * 1024,
  bodyBytes: 1024 * 1024,
  streams: 250,
  connections: 10_000,
};
