import { X509Certificate } from "node:crypto";
import type { CommandContext } from "#src/commands/command.ts";
import { readTextFile } from "#src/commands/settings/settings.ts";
import type { Link } from "#src/commands/why/link.ts";
import { HttpClient } from "#src/http/http-client.ts";
import { Proxies } from "#src/http/proxies.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { hours, seconds } from "#src/time/durations.ts";

/** Servers accept tokens whose times are off by about this much. */
const toleratedMs = seconds(30);
const maxBytes = 1_000_000;
/** A certificate authority that expires sooner is reported. */
const noticeMs = hours(24 * 14);

export interface NetworkTarget {
  /** What is called, such as `platform`. */
  readonly name: string;
  readonly url: URL;
  /** The file of `--platform-ca`. */
  readonly platformCa: string | undefined;
}

/**
 * Whether a server responds, through which proxy and with which certificate authorities, and whether its clock agrees with
 * ours. Any HTTP response counts: what it says is the matter of other checks.
 */
export async function networkLinks(
  { name, platformCa, url }: NetworkTarget,
  { env, signal }: Pick<CommandContext, "env" | "signal">,
  deadlineMs: number,
): Promise<readonly Link[]> {
  const base = { link: "network", subject: `${name} ${url.origin}` };
  const proxy = (await Proxies.fromEnvironment(env))?.displayFor(url);
  const way = proxy === undefined ? "directly" : `through the proxy ${proxy}`;
  try {
    const ca = platformCa === undefined ? undefined : await readTextFile("--platform-ca", platformCa);
    const client = new HttpClient(url, { clock, env, ...(ca === undefined ? {} : { ca }) });
    const target = new URL(`${url.href.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const { date } = await client.send(target, { headers: {}, deadlineMs, maxBytes, signal });
    return [{ ...base, state: "ok", message: `It responds, called ${way}.` }, clockLink(base.subject, date)];
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = oneLine(message === "" ? (code ?? "") : message);
    return [
      {
        ...base,
        state: "problem",
        ...(code === undefined ? {} : { reason: code }),
        message: `It does not respond, called ${way}: ${reason}`,
        fix: isAboutCertificates(code)
          ? "Name the certificate authority of the server with --platform-ca, or in NODE_EXTRA_CA_CERTS."
          : "Check the address, DNS, network policies and firewalls, and HTTPS_PROXY, HTTP_PROXY and NO_PROXY.",
      },
    ];
  }
}

/** @param date the Date header of a response, which has whole seconds */
function clockLink(subject: string, date: string | undefined): Link {
  const base = { link: "clock", subject };
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs))
    return {
      ...base,
      state: "unknown",
      message: "Its response has no date.",
      fix: "Compare the clocks yourself: a proxy may have removed the header.",
    };
  const offset = Math.round((clock.now() - theirs) / 1_000);
  if (Math.abs(offset) <= toleratedMs / 1_000)
    return { ...base, state: "ok", message: "Its clock agrees with this machine's." };
  return {
    ...base,
    state: "problem",
    message: `The clock of this machine is ${Math.abs(offset)} s ${offset > 0 ? "ahead of" : "behind"} its clock.`,
    fix: "Synchronize both clocks with NTP: tokens are refused before they begin and after they end.",
  };
}

/** Node's codes for a server certificate that is not trusted. */
function isAboutCertificates(code: string | undefined): boolean {
  return code !== undefined && /CERT|^UNABLE_TO_|^ERR_TLS/.test(code);
}

/** Whether the file of `--platform-ca` has certificates, and how long they are valid. Undefined without such a file. */
export async function authoritiesLink(platformCa: string | undefined): Promise<Link | undefined> {
  if (platformCa === undefined) return undefined;
  const base = { link: "CA", subject: `--platform-ca ${platformCa}` };
  const fix = "Replace the file with the PEM certificates of the authorities that issue the platform's certificate.";
  try {
    const text = await readTextFile("--platform-ca", platformCa);
    const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    const ends = blocks.map((block) => Date.parse(new X509Certificate(block).validTo));
    const first = Math.min(...ends);
    if (ends.length === 0) return { ...base, state: "problem", message: "The file contains no certificate.", fix };
    const until = new Date(first).toISOString();
    if (first < clock.now() + noticeMs)
      return { ...base, state: "problem", message: `A certificate in the file is valid only until ${until}.`, fix };
    return { ...base, state: "ok", message: `It has ${ends.length} certificates, valid until ${until} at least.` };
  } catch (error) {
    return { ...base, state: "problem", message: oneLine((error as Error).message), fix };
  }
}
