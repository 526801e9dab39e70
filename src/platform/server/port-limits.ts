import { minutes, seconds } from "#src/time/durations.ts";

/**
 * The limits of the port for its clients, so that slow, vanished or hostile ones cost little. Times are in milliseconds. No
 * address can use up a limit in total: clients share what is free (see `shares/`).
 */
export interface PortLimits {
  /** For the TLS handshake, and for the first bytes of a connection. */
  readonly openingTime: number;
  /** Connections in their TLS handshake, or before their first bytes. */
  readonly openings: number;
  /** How long a connection counts as opening after its client has closed it, if it had not completed the handshake or sent a byte. */
  readonly abandonedTime: number;
  /** For receiving the headers of a request. */
  readonly headersTime: number;
  /** For receiving the body of a request. */
  readonly bodyTime: number;
  /** From the headers of a call to the last byte of its response. Streams are not limited. */
  readonly callTime: number;
  /** For a connection without traffic; pings do not count. Longer than the idle timeout of clients, so that they close first. */
  readonly idleTime: number;
  /** Bytes of all headers of a request. A bearer token has at most a few KiB. */
  readonly headerBytes: number;
  /** Bytes of a body. The largest requests of the contract contain a JWKS document. */
  readonly bodyBytes: number;
  /** Bytes of all open requests. Each counts `headerBytes`, its body and its response, until the response has been sent. */
  readonly requestMemory: number;
  /** Concurrent streams of an HTTP/2 connection. */
  readonly streams: number;
  /** Requests of an HTTP/1.1 connection whose responses have not been sent. A connection with more is closed. */
  readonly pipelinedRequests: number;
  /** Requests of an HTTP/2 connection that are refused because too many are open, before the connection is closed. */
  readonly refusedRequests: number;
  /** Streaming calls, which need no token and last as long as their clients want. */
  readonly streamingCalls: number;
  /** Concurrent connections. More are closed as soon as they are accepted. */
  readonly connections: number;
}

export const portLimits: PortLimits = {
  openingTime: seconds(10),
  openings: 1_000,
  abandonedTime: seconds(1),
  headersTime: seconds(10),
  bodyTime: seconds(20),
  callTime: minutes(1),
  idleTime: seconds(75),
  headerBytes: 32 * 1024,
  bodyBytes: 1024 * 1024,
  requestMemory: 128 * 1024 * 1024,
  streams: 100,
  pipelinedRequests: 8,
  refusedRequests: 100,
  streamingCalls: 250,
  connections: 5_000,
};
