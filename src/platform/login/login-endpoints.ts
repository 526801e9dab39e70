import { asciiLowerCase } from "#src/text/ascii-case.ts";
import type { ApiError } from "../errors/api-error.ts";
import type { BodyReader, HttpHandler, HttpRequest, HttpResponse, WholeResponse } from "../server/http-handler.ts";
import { httpStatusOf } from "../rest/rest-error.ts";
import type { CallRunner } from "../service/call-runner.ts";
import type { CallSlot } from "../service/call-slots.ts";
import type { Database } from "../store/database.ts";
import { callDatabase } from "./call-database.ts";
import { authorizeDevice, findDevice, logInForDevice, showDeviceForm } from "./device-endpoints.ts";
import { familyLogin } from "./family-endpoint.ts";
import { authorize, callback, consent } from "./login-flow.ts";
import type { LoginContext, LoginHandler } from "./login-context.ts";
import { returnFailure } from "./login-return.ts";
import { OAuthError, ReturnedError } from "./oauth-error.ts";
import { errorResponse, jsonResponse, retryAfter } from "./oauth-response.ts";
import { errorPage } from "./pages.ts";
import { Parameters } from "./parameters.ts";
import { revoke, token } from "./token-endpoint.ts";

interface Endpoint {
  /** The name in logs and metrics. */
  readonly operation: string;
  /** Who reads the responses: a person or a program. */
  readonly audience: "person" | "program";
  readonly methods: Readonly<Partial<Record<"GET" | "POST", LoginHandler>>>;
}

const callbackPath = /^\/login\/callback\/([0-9a-f]{16})$/;

/** Serves the pages and endpoints with which people log in. */
export class LoginEndpoints {
  readonly #context: LoginContext;
  readonly #runner: CallRunner;
  readonly #database: Database;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(context: LoginContext, runner: CallRunner, database: Database) {
    this.#context = context;
    this.#runner = runner;
    this.#database = database;
    this.#endpoints = new Map<string, Endpoint>([
      ["/authorize", { operation: "Login/Authorize", audience: "person", methods: { GET: authorize(context) } }],
      ["/login/consent", { operation: "Login/Consent", audience: "person", methods: { POST: consent(context) } }],
      ["/oauth", { operation: "Login/OAuth", audience: "person", methods: { GET: familyLogin(context) } }],
      [
        "/device",
        {
          operation: "Login/Device",
          audience: "person",
          methods: { GET: showDeviceForm(context), POST: findDevice(context) },
        },
      ],
      ["/device/login", { operation: "Login/Device", audience: "person", methods: { GET: logInForDevice(context) } }],
      [
        "/device_authorization",
        {
          operation: "Login/DeviceAuthorization",
          audience: "program",
          methods: { POST: authorizeDevice(context) },
        },
      ],
      ["/token", { operation: "Login/Token", audience: "program", methods: { POST: token(context) } }],
      ["/revoke", { operation: "Login/Revoke", audience: "program", methods: { POST: revoke(context) } }],
    ]);
  }

  /** The handler of a path; undefined if it is not one of a login. */
  at(path: string): HttpHandler | undefined {
    const endpoint = this.#endpointAt(path);
    return endpoint && ((request, readBody, address) => this.#serve(endpoint, request, readBody, address));
  }

  #endpointAt(path: string): Endpoint | undefined {
    const known = this.#endpoints.get(path);
    if (known !== undefined) return known;
    // Almost all requests of the port are calls of the API.
    if (!path.startsWith("/login/")) return undefined;
    const issuerKey = callbackPath.exec(path)?.[1];
    if (issuerKey === undefined) return undefined;
    return { operation: "Login/Callback", audience: "person", methods: { GET: callback(this.#context, issuerKey) } };
  }

  async #serve(
    { operation, audience, methods }: Endpoint,
    request: HttpRequest,
    readBody: BodyReader,
    address: string,
  ): Promise<HttpResponse> {
    const { method = "GET" } = request;
    const handler = method === "GET" || method === "POST" ? methods[method] : undefined;
    const find = async () => {
      const text = handler === undefined ? "" : await parametersOf(request, readBody);
      return {
        operation,
        run: async (slot: CallSlot) => {
          slot.takeUnauthenticated();
          if (handler === undefined) return notAllowed(audience, Object.keys(methods));
          const database = callDatabase(this.#database, slot);
          return handler({ request, parameters: new Parameters(text), address, slot, database });
        },
      };
    };
    const { traceparent } = request.headers;
    const origin = { address, traceparent: typeof traceparent === "string" ? traceparent : undefined };
    const result = await this.#runner.run(find, origin);
    const response = result.kind === "response" ? result.value : this.#failure(audience, result.error);
    return { ...response, responseFault: result.responseFault };
  }

  #failure(audience: Endpoint["audience"], error: ApiError): WholeResponse {
    if (error instanceof ReturnedError) return returnFailure(error, this.#context.settings.authUrl);
    if (audience === "program") return errorResponse(error);
    return errorPage(httpStatusOf(error.code), error.message, retryAfter(error));
  }
}

/** The query of a GET, and the form of a POST. @throws OAuthError (invalid_request), ApiError */
async function parametersOf(request: HttpRequest, readBody: BodyReader): Promise<string> {
  const body = await readBody();
  const { method, url = "/", headers } = request;
  if (method === "GET") return url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (asciiLowerCase(type.trim()) !== "application/x-www-form-urlencoded")
    throw new OAuthError("invalid_request", "the content type must be application/x-www-form-urlencoded");
  if (body === undefined) throw new OAuthError("invalid_request", "the form is too large");
  return body.toString();
}

function notAllowed(audience: Endpoint["audience"], methods: readonly string[]): WholeResponse {
  const allow = { allow: methods.join(", ") };
  if (audience === "program") return jsonResponse(405, { error: "invalid_request" }, allow);
  return errorPage(405, `this address accepts ${methods.join(" and ")} alone`, allow);
}
