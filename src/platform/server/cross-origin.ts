import type { ServerResponse } from "node:http";
import type { HttpRequest, WholeResponse } from "./http-handler.ts";

/** The headers of responses that a page may read, in addition to those that it always may: for gRPC-web, Connect and REST. */
const exposed = [
  "grpc-status",
  "grpc-message",
  "grpc-status-details-bin",
  "grpc-encoding",
  "connect-content-encoding",
  "www-authenticate",
  "retry-after",
  "allow",
].join(", ");

/** The headers that a page may send. */
const requestHeaders = [
  "authorization",
  "content-type",
  "x-grpc-web",
  "x-user-agent",
  "grpc-timeout",
  "connect-protocol-version",
  "connect-timeout-ms",
  "traceparent",
].join(", ");

/** How long a browser may keep what a preflight allowed, in seconds; browsers have lower maximums. */
const maximumAge = 7_200;

/**
 * Cross-origin resource sharing (the Fetch standard): lets pages of some origins call the API. They authenticate with a token like
 * every client; cookies are never allowed, and pages of a login are not shared.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;
  readonly #isShared: (path: string) => boolean;

  /** @param isShared whether pages may call a path, which has no query */
  constructor(origins: readonly string[], isShared: (path: string) => boolean) {
    this.#origins = new Set(origins);
    this.#isShared = isShared;
  }

  /**
   * Sets the headers that share the response with the page that sent the request, if it may have it.
   * @returns the response to a preflight that is allowed; undefined for every other request, which is served as always
   */
  prepare({ method, url = "/", headers }: HttpRequest, response: ServerResponse): WholeResponse | undefined {
    if (!this.#isShared(url.replace(/\?.*$/s, ""))) return undefined;
    // Also without an origin: a cache must not give that response to a page.
    response.setHeader("vary", "Origin");
    const { origin } = headers;
    if (typeof origin !== "string" || !this.#origins.has(origin)) return undefined;
    response.setHeader("access-control-allow-origin", origin);
    if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) {
      response.setHeader("access-control-expose-headers", exposed);
      return undefined;
    }
    return {
      status: 204,
      headers: {
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": requestHeaders,
        "access-control-max-age": String(maximumAge),
      },
      body: "",
    };
  }
}
