import { frontPage } from "./front-page.ts";
import type { LoginEndpoints } from "./login/login-endpoints.ts";
import type { DiscoveryDocuments } from "./oidc/discovery-documents.ts";
import type { ApiDescriptions } from "./openapi/api-descriptions.ts";
import { MethodNotAllowed } from "./rest/method-not-allowed.ts";
import { errorResponse } from "./rest/rest-handler.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "./server/http-handler.ts";
import type { PlatformMetrics } from "./service/platform-metrics.ts";
import { probeResultOf, type Readiness } from "./service/readiness.ts";

/** What the port serves over HTTP in addition to gRPC. */
export interface HttpEndpoints {
  /** Serves every path that is not one of the others. */
  readonly rest: HttpHandler;
  /** Serves `/faults`; undefined unless fault rules can be changed at run time. */
  readonly faults: HttpHandler | undefined;
  /** The pages and endpoints with which people log in. */
  readonly login: () => Promise<LoginEndpoints>;
  readonly documents: DiscoveryDocuments;
  readonly descriptions: () => Promise<ApiDescriptions>;
  readonly metrics: PlatformMetrics;
  /** What `/readyz` reports. */
  readonly readiness: Readiness;
  /** The path of the URL of the token service, without a slash at the end: empty, or such as `/auth`. */
  readonly authPath: string;
  /** `ErrorInfo.domain` of errors. */
  readonly errorDomain: string;
}

/** What is read with GET or HEAD, without a token. */
type Page = (request: HttpRequest) => Promise<HttpResponse>;

/** The paths of logins, and what else is below that of the token service's URL. They are also served without it. */
const ofLogin = /^\/(login\/|(authorize|token|device|device\/login|device_authorization|revoke|oauth)(\?|$))/;
const ofTokenService = /^\/(sts|\.well-known)\//;

/**
 * Chooses the endpoint of a request by its path: health, metrics, discovery, OpenAPI, fault rules, or the REST API. The
 * root shows where the others are.
 */
export function httpEndpoints(endpoints: HttpEndpoints): HttpHandler {
  const { rest, faults, login, documents, descriptions, metrics, readiness, authPath, errorDomain } = endpoints;
  const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
    ["/livez", async () => text(200, "ok")],
    [
      "/readyz",
      async () => {
        const { ok, text: why } = probeResultOf(await readiness.state());
        return text(ok ? 200 : 503, why);
      },
    ],
    ["/metrics", async () => text(200, await metrics.registry.metrics())],
    ["/openapi.json", async () => json((await descriptions()).openApi)],
    ["/docs", async () => html((await descriptions()).page)],
    [
      "/",
      async ({ headers: { accept = "" } }) => {
        const { kind, body } = frontPage(accept);
        return withVary(kind === "html" ? html(body) : json(body));
      },
    ],
  ]);
  const pageAt = (path: string): Page | undefined => {
    const document = documents.at(path);
    return document === undefined ? pages.get(path) : async () => json(await document());
  };
  return async (request, readBody, address) => {
    request.url = withoutAuthPath(request.url ?? "/", authPath);
    const path = pathOf(request);
    const page = pageAt(path);
    if (page !== undefined) {
      const { method = "GET" } = request;
      const isRead = method === "GET" || method === "HEAD";
      return isRead ? page(request) : errorResponse(new MethodNotAllowed(method, ["GET", "HEAD"]), errorDomain);
    }
    if (path === "/faults" && faults !== undefined) return faults(request, readBody, address);
    const loginHandler = ofLogin.test(path) ? (await login()).at(path) : undefined;
    if (loginHandler !== undefined) return loginHandler(request, readBody, address);
    return rest(request, readBody, address);
  };
}

/** The path without that of the token service's URL, if it is one of the token service: a proxy may have removed it already. */
export function withoutAuthPath(url: string, authPath: string): string {
  if (authPath === "" || !url.startsWith(`${authPath}/`)) return url;
  const rest = url.slice(authPath.length);
  return ofTokenService.test(rest) || ofLogin.test(rest) ? rest : url;
}

function pathOf({ url = "/" }: HttpRequest): string {
  const mark = url.indexOf("?");
  return mark < 0 ? url : url.slice(0, mark);
}

/** The header Accept decides about the response. */
function withVary(response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...response.headers, vary: "accept" } };
}

function text(status: number, body: string): HttpResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** An HTML response with a policy that forbids loading any resource. */
function html(body: string): HttpResponse {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
    body,
  };
}

function json(body: string): HttpResponse {
  return { status: 200, headers: { "content-type": "application/json", "cache-control": "public, max-age=60" }, body };
}
