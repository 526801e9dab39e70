import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { seconds } from "#src/time/durations.ts";
import {
  type AuthorizationResponse,
  type ExpectedResponse,
  readAuthorizationResponse,
} from "./authorization-response.ts";
import { type CallbackPage, callbackPage, callbackPageHeaders } from "./callback-page.ts";

const host = "127.0.0.1";
const callbackPath = "/callback";

/** A browser needs a few, and other programs on this machine can connect, too. */
const maxConnections = 64;
const maxHeaderBytes = 16 * 1024;

/** How long a page may still be on its way when the listener closes. */
const lastPageMs = 250;

/**
 * Waits on 127.0.0.1 for the response to one login, which the browser brings (RFC 8252, section 7.3). Any program on this machine and any page in
 * the browser can send requests: those that are not the response get a page, and change nothing.
 */
export class CallbackListener {
  readonly #server: Server;
  readonly #expected: ExpectedResponse;
  readonly #port: number;
  readonly #authorization = Promise.withResolvers<AuthorizationResponse>();
  /** The path that leads to `target` once. */
  readonly #linkPath = `/login/${randomBytes(16).toString("base64url")}`;
  #target: URL | undefined;

  static async listen(expected: ExpectedResponse): Promise<CallbackListener> {
    const server = createServer({
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: seconds(10),
      requestTimeout: seconds(10),
      connectionsCheckingInterval: seconds(1),
      keepAlive: false,
    });
    server.maxConnections = maxConnections;
    server.listen(0, host);
    await once(server, "listening");
    return new CallbackListener(server, expected);
  }

  private constructor(server: Server, expected: ExpectedResponse) {
    this.#server = server;
    this.#expected = expected;
    this.#port = (server.address() as AddressInfo).port;
    server.on("request", (request, response) => this.#respond(request, response));
  }

  get redirectUri(): string {
    return `http://${host}:${this.#port}${callbackPath}`;
  }

  /**
   * An address of this listener that redirects to `target` once. A browser is started with this one, because other users of
   * the machine see the arguments of a process, and `target` contains the state and perhaps an invite.
   */
  linkTo(target: URL): string {
    this.#target = target;
    return `http://${host}:${this.#port}${this.#linkPath}`;
  }

  /** The first response. It never rejects. */
  get authorization(): Promise<AuthorizationResponse> {
    return this.#authorization.promise;
  }

  /** Stops listening, after the page that is being sent. */
  close(): Promise<void> {
    return new Promise((done) => {
      this.#server.close(() => done());
      this.#server.closeIdleConnections();
      // A connection that sends nothing must not keep the command from its end.
      setTimeout(() => this.#server.closeAllConnections(), lastPageMs).unref();
    });
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const url = URL.parse(`http://${host}:${this.#port}${request.url ?? ""}`);
    // A name of somebody else's domain may have been pointed to this address.
    if (url === null || request.headers.host !== url.host || request.method !== "GET") {
      respondWith(response, 404, "notExpected");
      return;
    }
    if (url.pathname === this.#linkPath) this.#followLink(response);
    else if (url.pathname === callbackPath) this.#receive(url.searchParams, response);
    else respondWith(response, 404, "notExpected");
  }

  #followLink(response: ServerResponse): void {
    const target = this.#target;
    this.#target = undefined;
    if (target === undefined) respondWith(response, 410, "linkUsed");
    else response.writeHead(303, { ...callbackPageHeaders, location: target.href }).end();
  }

  #receive(parameters: URLSearchParams, response: ServerResponse): void {
    const authorization = readAuthorizationResponse(parameters, this.#expected);
    if (authorization === undefined) {
      respondWith(response, 400, "notExpected");
      return;
    }
    // The first one counts: a promise is resolved once.
    respondWith(response, 200, authorization.kind === "code" ? "received" : "refused");
    this.#authorization.resolve(authorization);
  }
}

function respondWith(response: ServerResponse, status: number, page: CallbackPage): void {
  response.writeHead(status, callbackPageHeaders).end(callbackPage(page));
}
