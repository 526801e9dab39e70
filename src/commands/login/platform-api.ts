import { CommandFailure } from "#src/commands/command.ts";
import { ExplainedError } from "#src/commands/explained-error.ts";
import {
  HttpClient,
  type HttpClientOptions,
  type HttpClientResponse,
  messageOfFailure,
} from "#src/http/http-client.ts";
import { parseRetryAfter } from "#src/http/retry-after.ts";
import { parseJson, parseJsonObject } from "#src/json/parse-json.ts";
import { type CodeName, parseErrorBody, type PlatformError } from "#src/platform-client/failure.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { exitCodeOf } from "./exit-code.ts";

/** A larger response ends the call: it is held in memory as a whole. */
const maxResponseBytes = 64 * 1024 * 1024;

export interface ApiCall {
  readonly method: string;
  /** Begins with a slash, and may have a query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}

/** A platform, and the tokens with which it is called: those of a login, or a single one. */
export interface PlatformAccess {
  /** The API URL of the platform; see `platformKey`. */
  readonly platform: string;
  readonly session: {
    /** @param rejected an access token that the platform does not accept: another one, if there is one */
    readonly tokens: (rejected?: string) => Promise<{ readonly accessToken: string }>;
  };
  readonly http: HttpClientOptions;
}

/**
 * The API of a platform, called with an access token: any method and path, as a person types them. It is not
 * `HttpPlatformApi`, which knows the collections that it reads and loads undici and zod, because `muster api` is called in loops of
 * scripts, and each call starts a process.
 */
export class PlatformApi {
  readonly #access: PlatformAccess;
  readonly #http: HttpClient;
  readonly #limits: { readonly deadlineMs: number; readonly signal: AbortSignal };

  constructor(access: PlatformAccess, limits: { readonly deadlineMs: number; readonly signal: AbortSignal }) {
    this.#access = access;
    this.#http = new HttpClient(new URL(access.platform), access.http);
    this.#limits = limits;
  }

  /**
   * Makes one call. If the platform does not accept the token, it is renewed if that is possible, and the call made again: it had no effect.
   * @returns the body of the response
   * @throws {CommandFailure} if the platform responds with an error
   */
  async call(call: ApiCall): Promise<string> {
    const { session } = this.#access;
    const { accessToken } = await session.tokens();
    let response = await this.#send(call, accessToken);
    if (response.status === 401) {
      const { accessToken: renewed } = await session.tokens(accessToken);
      if (renewed !== accessToken) response = await this.#send(call, renewed);
    }
    if (response.status >= 200 && response.status < 300) return response.text;
    throw failureOf(call, response, this.#access);
  }

  /** Makes a GET call. @returns undefined if the caller may not see the resource */
  async find(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      return parseJsonObject(await this.call({ method: "GET", path }));
    } catch (error) {
      const codes = [exitCodeOf("NOT_FOUND"), exitCodeOf("PERMISSION_DENIED")];
      if (error instanceof CommandFailure && codes.includes(error.exitCode)) return undefined;
      throw error;
    }
  }

  async #send({ method, path, body }: ApiCall, accessToken: string): Promise<HttpClientResponse> {
    const { platform } = this.#access;
    const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
    try {
      return await this.#http.send(new URL(platform + path), {
        method,
        ...this.#limits,
        maxBytes: maxResponseBytes,
        headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      if (this.#limits.signal.aborted) throw this.#limits.signal.reason;
      const effect =
        method === "GET" ? "" : ". Whether the call had an effect is unknown: read the resource before you repeat it";
      throw new ExplainedError(
        "platform-unavailable",
        `${platform} is not available: ${oneLine(messageOfFailure(error))}${effect}`,
        {
          cause: error,
        },
      );
    }
  }
}

/** The error as the platform words it, and what to do. */
function failureOf(call: ApiCall, { status, retryAfter, text }: HttpClientResponse, access: PlatformAccess): Error {
  const where = `${call.method} ${call.path.split("?")[0]}`;
  const error = parseErrorBody(status, parseJson(text));
  if (error === undefined)
    return new ExplainedError(
      "platform-unavailable",
      `${where}: ${access.platform} returned HTTP ${status}, which is not a response of the platform: check --platform-url, and proxies on the way`,
    );
  const violations = [
    ...error.fieldViolations.map(({ field, description }) => `${field}: ${description}`),
    ...error.preconditionViolations.map(({ type, description }) => `${type}: ${description}`),
    ...(error.quotaViolations ?? []).map(({ subject, description }) => `${subject}: ${description}`),
  ].map(oneLine);
  const message = oneLine(error.message);
  const details = violations.filter((violation) => !message.includes(violation));
  const fix = fixOf(error, access, parseRetryAfter(retryAfter, access.http.clock.now()));
  const lines = [`${where}: ${error.code}: ${message}`, ...details, ...(fix === undefined ? [] : [fix])];
  return new CommandFailure(lines.join("\n  "), exitCodeOf(error.code));
}

/** What to do after an error. @returns undefined if its message says it all */
function fixOf(
  { code, quotaViolations }: PlatformError,
  { platform }: PlatformAccess,
  retryAfterMs: number | undefined,
): string | undefined {
  if (quotaViolations !== undefined) return undefined;
  if (repeatable.has(code)) return `Retry in ${Math.ceil((retryAfterMs ?? 1_000) / 1000)} s.`;
  return fixes(platform)[code];
}

const repeatable: ReadonlySet<CodeName> = new Set([
  "ABORTED",
  "DEADLINE_EXCEEDED",
  "RESOURCE_EXHAUSTED",
  "UNAVAILABLE",
]);

const fixes = (platform: string): { readonly [code in CodeName]?: string } => ({
  UNAUTHENTICATED: `Log in again: muster login --platform-url ${platform}. Or replace the file of --token-file.`,
  PERMISSION_DENIED: "muster whoami prints your roles. Ask an owner of the group for a role with this permission.",
  NOT_FOUND: "A resource that you may not see is not found either: muster whoami prints your roles.",
  UNIMPLEMENTED: `${platform}/openapi.json has all methods and paths.`,
});
