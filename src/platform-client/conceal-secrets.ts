import { PlatformFailure, type PlatformProblem } from "./failure.ts";

/** The fields of requests whose values nobody may read again. */
const secretField = /"clientSecret":("(?:[^"\\]|\\.)+")/g;

/**
 * `error`, without the secrets of the request: its texts are shown in statuses, events and logs, and a platform, or a proxy,
 * may repeat the request in its response.
 * @param body the request, as JSON.
 */
export function concealSecrets(error: unknown, body: string | undefined): unknown {
  if (!(error instanceof PlatformFailure) || body === undefined) return error;
  const secrets = Array.from(body.matchAll(secretField), ([, text = '""']): string => JSON.parse(text));
  if (secrets.length === 0) return error;
  const conceal = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
  const problem: PlatformProblem = JSON.parse(
    JSON.stringify(error.problem, (_field, value: unknown) => (typeof value === "string" ? conceal(value) : value)),
  );
  return new PlatformFailure(error.call, problem);
}
