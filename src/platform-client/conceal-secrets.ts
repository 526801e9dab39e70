import { PlatformFailure, type PlatformProblem } from "./failure.ts";

/** The fields of requests whose values nobody may read again. */
const secretField = /"clientSecret":"((?:[^"\\]|\\.)+)"/g;
/** The fields of problems with texts that others wrote. The rest says of which type a problem is, and must stay as it is. */
const freeTexts: ReadonlySet<string> = new Set(["message", "description", "subject", "field", "reason", "domain"]);

/**
 * `error`, without the secrets of the request: its texts are shown in statuses, events and logs, and a platform, or a proxy,
 * may repeat the request in its response.
 * @param body the request, as JSON.
 */
export function concealSecrets(error: unknown, body: string | undefined): unknown {
  if (!(error instanceof PlatformFailure) || body === undefined) return error;
  // A response may repeat a secret as it is, or as the request contains it. The latter is the longer one.
  const secrets = new Set(
    Array.from(body.matchAll(secretField), ([, text = ""]): string[] => [text, JSON.parse(`"${text}"`)]).flat(),
  );
  if (secrets.size === 0) return error;
  return withTexts(error, (text) => [...secrets].reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text));
}

/** What may be a code: 24 characters or more without a space. */
const longWord = /[\w.~+/=-]{23,}[\w~+/=-]/g;

/**
 * `error`, without what may be a code that the platform has made, and that nobody here knows: every long word with a digit that
 * the request does not contain.
 */
export function concealCodes(
  error: unknown,
  { path, body = "" }: { readonly path: string; readonly body?: string },
): unknown {
  if (!(error instanceof PlatformFailure)) return error;
  const known = `${path} ${body}`;
  return withTexts(error, (text) =>
    text.replace(longWord, (word) => (!/\d/.test(word) || known.includes(word) ? word : "[redacted]")),
  );
}

function withTexts({ call, problem }: PlatformFailure, conceal: (text: string) => string): PlatformFailure {
  const concealed: PlatformProblem = JSON.parse(
    JSON.stringify(problem, (field, value: unknown) =>
      typeof value === "string" && freeTexts.has(field) ? conceal(value) : value,
    ),
  );
  return new PlatformFailure(call, concealed);
}
