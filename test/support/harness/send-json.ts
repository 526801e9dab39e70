/** The platform responded with an error. */
export class PlatformError extends Error {
  override readonly name = "PlatformError";
  readonly status: number;
  readonly body: unknown;
  constructor(request: string, status: number, body: unknown) {
    super(`${request}: HTTP ${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

export interface JsonRequest {
  /** The platform's base URL, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
}

/**
 * Sends one request to the platform. It shares no code with the operator's client: a test must be able to contradict
 * it.
 * @returns the JSON of the response; undefined if the body is empty
 * @throws {PlatformError} if the status is not one of success
 * @throws {TypeError} if the connection fails
 */
// oxlint-disable-next-line typescript/no-explicit-any
export async function sendJson({ url, token, method, path, body }: JsonRequest): Promise<any> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json: unknown = text === "" ? undefined : JSON.parse(text);
  if (!response.ok) throw new PlatformError(`${method} ${path}`, response.status, json);
  return json;
}
