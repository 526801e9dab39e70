import { createServer, IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpRequest, WholeResponse } from "./http-handler.ts";
import type { PortLimits } from "./port-limits.ts";
import { rejectRequest } from "./reject-request.ts";
import type { RequestRejection } from "./request-rejection.ts";

/**
 * A server of HTTP/1.1 for connections that another server accepts. Its limits hold although it never listens.
 * @param onRequest is called with each request
 * @param rejection the response to a request that is not valid HTTP
 */
export function http1Server(
  limits: PortLimits,
  onRequest: (request: HttpRequest, response: ServerResponse) => void,
  rejection: Promise<(rejection: RequestRejection) => WholeResponse>,
): Server {
  const server = createServer(
    {
      IncomingMessage: boundedRequests(limits.pipelinedRequests),
      maxHeaderSize: limits.headerBytes,
      // Checked by the handler of requests, so that the response has the standard error format.
      requireHostHeader: false,
      headersTimeout: Math.min(limits.headersTime, limits.callTime),
      requestTimeout: limits.callTime,
      keepAliveTimeout: limits.idleTime,
      connectionsCheckingInterval: Math.min(limits.headersTime, limits.callTime) / 2,
    },
    onRequest,
  );
  server.setTimeout(limits.idleTime);
  server.prependListener("request", recordRequest);
  // Expectations other than `100-continue` may be ignored.
  server.on("checkExpectation", (request, response) => void server.emit("request", request, response));
  server.on("clientError", (error, socket) => {
    void rejection.then(
      (responseTo) => rejectRequest(error, socket, states.get(socket as Socket)?.last, responseTo),
      () => socket.destroy(),
    );
  });
  // Without this event, a server that never listens would not enforce its timeouts.
  server.emit("listening");
  return server;
}

/** What is known of a connection. */
interface ConnectionState {
  /** The requests whose responses have not been sent. */
  open: number;
  /** The last response: a malformed request must not be rejected in the middle of it. */
  last: ServerResponse;
}

const states = new WeakMap<Socket, ConnectionState>();

function recordRequest({ socket }: IncomingMessage, response: ServerResponse): void {
  let state = states.get(socket);
  if (state === undefined) {
    state = { open: 0, last: response };
    states.set(socket, state);
  }
  state.open += 1;
  state.last = response;
  response.on("close", () => (state.open -= 1));
}

/**
 * The requests of a server that ends connections with more than `maximum` open requests. Node parses, and begins, all requests
 * that arrive together: 64 KiB can have 2,000, which take 40 ms, and no client in use sends several. It stops only at an
 * upgrade, and closes the connection if nobody listens for that, so a request beyond the maximum is presented as one.
 */
function boundedRequests(maximum: number) {
  return class extends IncomingMessage {
    // Not private: the constructor of the superclass sets it.
    declare isUpgrade: unknown;

    get upgrade(): unknown {
      return (states.get(this.socket)?.open ?? 0) >= maximum ? true : this.isUpgrade;
    }

    set upgrade(value: unknown) {
      this.isUpgrade = value;
    }
  };
}
