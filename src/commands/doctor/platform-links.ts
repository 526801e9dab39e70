import type { CommandContext } from "#src/commands/command.ts";
import type { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import type { OperatorPlace } from "#src/commands/reader/operator-place.ts";
import { connectReader, type PlatformReader } from "#src/commands/reader/connect-reader.ts";
import { podIdentityOf } from "#src/commands/reader/pod-identity.ts";
import type { Link } from "#src/commands/why/link.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { groups } from "#src/platform-client/permission-resources.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { capabilityLink } from "./capability-link.ts";
import { authoritiesLink, networkLinks } from "./network-links.ts";
import { ownerLink } from "./owner-link.ts";
import type { DoctorValues } from "./settings.ts";

export interface PlatformQuestion {
  readonly kinds: readonly Kind[];
  readonly operator: OperatorPlace;
  /** Undefined if there is none: then the owner id is taken from the settings. */
  readonly cluster: ClusterReads | undefined;
}

/** What is needed of the platform. */
export async function platformLinks(
  values: DoctorValues,
  context: CommandContext,
  question: PlatformQuestion,
): Promise<readonly Link[]> {
  const authorities = await authoritiesLink(values.platformCa);
  const before = authorities === undefined ? [] : [authorities];
  let reader: PlatformReader;
  try {
    reader = await connectReader(values, context);
  } catch (error) {
    context.signal.throwIfAborted();
    const known =
      values.platformUrl === undefined ? [] : await networkOf(values, context, values.platformUrl, values.authUrl);
    // In the operator's pod, the line of the exchange says it.
    const isOperator = podIdentityOf(values, context) !== undefined;
    return [...before, ...known, ...(isOperator ? [] : [loginLink(error)])];
  }
  try {
    const network = await networkOf(values, context, reader.platformUrl, reader.authUrl);
    return [...before, ...network, ...(await identityLinks(values, context, { ...question, reader }))];
  } finally {
    await reader.close();
  }
}

async function networkOf(
  { platformCa, timeout }: DoctorValues,
  context: CommandContext,
  platformUrl: URL,
  authUrl: URL = platformUrl,
): Promise<readonly Link[]> {
  const targets = [{ name: "platform", url: platformUrl, platformCa }];
  if (authUrl.origin !== platformUrl.origin) targets.push({ name: "token service", url: authUrl, platformCa });
  return (await Promise.all(targets.map((target) => networkLinks(target, context, timeout)))).flat();
}

interface Read extends PlatformQuestion {
  readonly reader: PlatformReader;
}

async function identityLinks(
  { class: operatorClass, identity, ownerId, rootGroup }: DoctorValues,
  { signal }: CommandContext,
  { cluster, kinds, operator, reader }: Read,
): Promise<readonly Link[]> {
  const { api, claims, seesEverything } = reader;
  const links: Link[] = [await acceptedLink(reader, signal)];
  if (identity === undefined) return links;
  const seesAll = seesEverything || (claims?.identity === identity && !claims.isNarrowed);
  if (rootGroup.length > 0)
    links.push(await capabilityLink({ api, identity, rootGroups: rootGroup, kinds, operator, seesAll }, signal));
  if (cluster !== undefined)
    links.push(await ownerLink({ api, identity, ownerId, class: operatorClass }, cluster, signal));
  return links;
}

/** Whether the platform accepts the token. */
async function acceptedLink({ api, platformUrl }: PlatformReader, signal: AbortSignal): Promise<Link> {
  const base = { link: "calls", subject: platformUrl.href };
  try {
    await api.list(groups, { filter: { page_size: "1" } }, signal);
    return { ...base, state: "ok", message: "The platform accepts the token of this check." };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return {
      ...base,
      state: "problem",
      message: oneLine(error.message),
      fix: "Log in again: muster login. Or replace the file of --token-file.",
    };
  }
}

function loginLink(error: unknown): Link {
  const message = oneLine(error instanceof Error ? error.message : String(error));
  return {
    link: "login",
    subject: "your login",
    state: "unknown",
    message: `Nothing was checked with it: ${message}`,
    fix: "Log in: muster login. Or give --platform-url and --token-file.",
  };
}
