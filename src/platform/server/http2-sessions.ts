import {
  constants,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { PacedConnection } from "./paced-connection.ts";
import type { PortLimits } from "./port-limits.ts";

/** The HTTP/2 connections of the port. */
export class Http2Sessions {
  readonly #server: Http2Server;
  /** The sessions with the number of running requests. */
  readonly #sessions = new Map<ServerHttp2Session, number>();
  readonly #peers = new WeakMap<Http2Session, string>();
  readonly #refusals = new WeakMap<Http2Session, number>();
  readonly #refusedRequests: number;
  readonly #idleTime: number;

  constructor(limits: PortLimits, onRequest: (request: Http2ServerRequest, response: Http2ServerResponse) => void) {
    this.#refusedRequests = limits.refusedRequests;
    this.#idleTime = limits.idleTime;
    const settings = { maxConcurrentStreams: limits.streams, maxHeaderListSize: limits.headerBytes };
    this.#server = createServer({ maxSessionMemory: 10, settings }, (request, response) => {
      response.stream.once("wantTrailers", () => setImmediate(() => endRequest(response.stream)));
      onRequest(request, response);
    });
    this.#server.setTimeout(limits.idleTime);
    this.#server.on("session", (session) => {
      this.#sessions.set(session, 0);
      session.once("close", () => this.#sessions.delete(session));
      session.on("stream", (stream) => {
        this.#count(session, 1);
        stream.once("close", () => this.#count(session, -1));
      });
    });
  }

  /**
   * Serves a connection that has begun.
   * @param turn resolves when the connection may begin a number of requests; undefined for at once
   */
  serve(socket: Socket, turn: (requests: number) => Promise<void> | undefined): void {
    const { remoteAddress = "" } = socket;
    // A session that ends waits for what it has written, which a client may never receive.
    socket.setTimeout(this.#idleTime, () => socket.destroy());
    const rememberPeer = (session: Http2Session) => this.#peers.set(session, remoteAddress);
    this.#server.on("session", rememberPeer);
    this.#server.emit("connection", new PacedConnection(socket, turn));
    this.#server.off("session", rememberPeer);
  }

  /** The address of the client's end of the connection; undefined if the connection is closed. */
  peerOf({ stream: { session } }: Http2ServerRequest): string | undefined {
    return session === undefined ? undefined : this.#peers.get(session);
  }

  /** Counts a request that is refused. A connection with many is closed, so that a client cannot be refused without a pause. */
  countRefusal({ stream: { session } }: Http2ServerRequest): void {
    if (session === undefined) return;
    const refusals = (this.#refusals.get(session) ?? 0) + 1;
    this.#refusals.set(session, refusals);
    if (refusals === this.#refusedRequests) session.close();
  }

  /** Accepts no more requests; running ones are completed. */
  close(): void {
    for (const session of this.#sessions.keys()) session.close();
  }

  closeIdle(): void {
    // Node leaves a session open if its last response was still being sent when it was closed.
    for (const [session, running] of this.#sessions) if (running === 0) session.destroy();
  }

  closeAll(): void {
    for (const session of this.#sessions.keys()) session.destroy();
  }

  #count(session: ServerHttp2Session, change: number): void {
    const running = this.#sessions.get(session);
    if (running !== undefined) this.#sessions.set(session, running + change);
  }
}

/** Closes a stream after its response. A client that keeps sending would otherwise keep the stream open. */
function endRequest(stream: ServerHttp2Stream): void {
  if (!stream.closed && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR);
}
