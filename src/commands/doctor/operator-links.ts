import type { CommandContext } from "#src/commands/command.ts";
import { checkExchange } from "#src/commands/operator/check-exchange.ts";
import { checkReady } from "#src/commands/operator/check-ready.ts";
import { operatorSettings } from "#src/commands/operator/settings.ts";
import type { PodIdentity } from "#src/commands/reader/pod-identity.ts";
import { readSettings, SettingsError } from "#src/commands/settings/settings.ts";
import type { Link } from "#src/commands/why/link.ts";
import { fixOf } from "#src/commands/why/object-link.ts";
import { Proxies } from "#src/http/proxies.ts";
import { readTokenClaims, readTokenPayload } from "#src/login/token-claims.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { subjectTokenFile } from "#src/platform-client/subject-token-file.ts";

/** What only the operator's own pod can check. */
export async function operatorLinks(
  inPod: PodIdentity,
  {
    operatorUrl,
    platformCa,
    timeout,
  }: { readonly operatorUrl: URL; readonly platformCa: string | undefined; readonly timeout: number },
  { env }: Pick<CommandContext, "env">,
): Promise<readonly Link[]> {
  return [
    configurationLink(env),
    await readyLink(operatorUrl, timeout),
    await tokenLink(inPod.subjectTokenFile, clock.now()),
    await exchangeLink(inPod, platformCa, timeout, env),
  ];
}

/** Whether the variables of the pod are a configuration with which the operator starts. Flags of its process are not seen. */
function configurationLink(env: CommandContext["env"]): Link {
  const base = { link: "configuration", subject: "the variables of this pod" };
  try {
    readSettings(operatorSettings, [], env);
    return { ...base, state: "ok", message: "Every required setting is there, and every value is valid." };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return {
      ...base,
      state: "problem",
      message: oneLine(error.mistakes.join("; ")),
      fix: "Correct the ConfigMap muster-settings, or the values of the chart. Settings that are flags of the operator's process are not seen here.",
    };
  }
}

async function readyLink(operatorUrl: URL, timeout: number): Promise<Link> {
  const base = { link: "operator", subject: operatorUrl.href };
  try {
    await checkReady(operatorUrl, timeout);
    return { ...base, state: "ok", message: "It is ready." };
  } catch (error) {
    return { ...base, state: "problem", message: oneLine((error as Error).message), fix: "Read the log of this pod." };
  }
}

async function exchangeLink(
  { authUrl, identity, platformUrl, subjectTokenFile: tokenFile }: PodIdentity,
  platformCa: string | undefined,
  platformTimeout: number,
  env: CommandContext["env"],
): Promise<Link> {
  const base = { link: "exchange", subject: identity };
  try {
    const values = { authUrl, identity, platformCa, platformTimeout, platformUrl, tokenFile };
    const claims = readTokenClaims(await checkExchange(values, await Proxies.fromEnvironment(env)));
    const audience = platformUrl.href.replace(/\/$/, "");
    if (claims !== undefined && (claims.identity !== identity || !claims.audiences.includes(audience)))
      return {
        ...base,
        state: "problem",
        message: oneLine(
          `The token is for the identity ${claims.identity ?? "?"} and the audience ${claims.audiences.join(", ")}, and not for ${audience}.`,
        ),
        fix: "Correct --platform-url: it must be the platform's --base-url.",
      };
    return { ...base, state: "ok", message: "The token of this pod was exchanged for one of this identity." };
  } catch (error) {
    return {
      ...base,
      state: "problem",
      reason: "TokenExchangeFailed",
      message: oneLine((error as Error).message),
      ...fixOf("TokenExchangeFailed"),
    };
  }
}

/** Whether a file has a service-account token that is still valid, and what it claims. The token itself is never shown. */
async function tokenLink(file: string, now: number): Promise<Link> {
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
