import type { Link } from "#src/commands/why/link.ts";
import { readTokenPayload } from "#src/login/token-claims.ts";
import { subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
import { oneLine } from "#src/telemetry/one-line.ts";

/** Whether a file has a service-account token that is still valid, and what it claims. The token itself is never shown. */
export async function tokenLink(file: string, now: number): Promise<Link> {
  const base = { link: "token", subject: file };
  const fix =
    "Mount a projected service-account token with the audience of the platform there, or correct --token-file.";
  const text = await subjectTokenFile(file)().catch(() => undefined);
  if (text === undefined) return { ...base, state: "problem", message: "The file cannot be read.", fix };
  const claims = readTokenPayload(text);
  if (claims === undefined)
    return { ...base, state: "problem", message: "The file does not contain a JSON Web Token.", fix };
  const { aud, exp, iss, sub } = claims;
  const shown = oneLine(`The issuer is ${textOf(iss)}, the subject ${textOf(sub)}, the audience ${textOf(aud)}.`);
  if (typeof exp === "number" && exp * 1_000 <= now)
    return {
      ...base,
      state: "problem",
      message: `The token expired at ${new Date(exp * 1_000).toISOString()}. ${shown}`,
      fix: "The kubelet replaces the file before that: restart the pod, and check the clock of the node.",
    };
  return { ...base, state: "ok", message: shown };
}

function textOf(claim: unknown): string {
  return claim === undefined ? "missing" : JSON.stringify(claim);
}
