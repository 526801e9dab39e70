import { readTextFile } from "#src/commands/settings/settings.ts";
import type { ManagedCollection } from "#src/platform-client/collection.ts";
import { GovernedApi } from "#src/platform-client/governed-api.ts";
import { HttpPlatformApi } from "#src/platform-client/http-api.ts";
import { OwnerCheck } from "#src/platform-client/owner-check.ts";
import { PlatformSession } from "#src/platform-client/session.ts";
import { type ReadSubjectToken, subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
import { TokenSource } from "#src/platform-client/token-source.ts";
import { HttpTransport, type HttpTransportOptions } from "#src/platform-client/transport.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { Clock } from "#src/time/clock.ts";
import type { OperatorValues } from "./settings.ts";

/** One identity on one platform, and how to prove it. */
export interface PlatformCredential {
  readonly platformUrl: URL;
  readonly authUrl: URL;
  /** PEM certificates of the authorities to trust. Absent: the default ones. */
  readonly ca?: string;
  /** The uid of the identity to assume. */
  readonly identity: string;
  readonly readSubjectToken: ReadSubjectToken;
}

export interface PlatformConnectionOptions {
  /** The owner that the operator's identity must record before anything is written. */
  readonly owner: string | OwnerCheck;
  readonly collections: readonly ManagedCollection[];
  readonly connections: number;
  /** The deadline of one call, in milliseconds. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Aborts the calls in flight and everything that waits. */
  readonly signal: AbortSignal;
  /** False once another process may be the leader. */
  readonly canWrite: () => boolean;
  readonly observe: NonNullable<HttpTransportOptions["observe"]>;
}

export interface PlatformConnection {
  readonly session: PlatformSession;
  readonly owner: OwnerCheck;
  /** The number of token exchanges so far. */
  readonly credentialEpoch: () => number;
  close(): Promise<void>;
}

/**
 * Creates the session of one credential, which reads and writes below `roots` only, with connections and tokens of its own. It sends nothing until
 * the session is used.
 */
export function connectPlatform(
  { platformUrl, authUrl, ca, identity, readSubjectToken }: PlatformCredential,
  roots: readonly string[],
  { owner, collections, connections, deadlineMs, clock, random, signal, canWrite, observe }: PlatformConnectionOptions,
): PlatformConnection {
  const transport = new HttpTransport({
    connections,
    deadlineMs,
    clock,
    canWrite,
    ...(ca === undefined ? {} : { ca }),
    observe,
  });
  const audience = platformUrl.href.replace(/\/$/, "");
  const tokens = new TokenSource(transport, { authUrl, audience, identity, readSubjectToken, clock });
  const credentialEpoch = () => tokens.epoch;
  const api = new GovernedApi(new HttpPlatformApi(transport, tokens, platformUrl), {
    probedGroup: parentOf(identity) ?? identity,
    clock,
    random,
    signal,
  });
  const ownerCheck = owner instanceof OwnerCheck ? owner : new OwnerCheck({ api, identity, owner, clock, signal });
  const session = new PlatformSession({
    api,
    identity,
    owner: ownerCheck,
    roots,
    credentialEpoch,
    collections,
    clock,
    signal,
    canWrite,
  });
  return { session, owner: ownerCheck, credentialEpoch, close: () => transport.close() };
}

/** The operator's own credential. @throws if the file of `--platform-ca` cannot be read. */
export async function readCredential(values: OperatorValues): Promise<PlatformCredential> {
  const ca = values.platformCa === undefined ? undefined : await readTextFile("--platform-ca", values.platformCa);
  return {
    platformUrl: values.platformUrl,
    authUrl: values.authUrl ?? values.platformUrl,
    ...(ca === undefined ? {} : { ca }),
    identity: values.identity,
    readSubjectToken: subjectTokenFile(values.tokenFile),
  };
}
