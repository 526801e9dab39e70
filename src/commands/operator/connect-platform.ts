import { readTextFile } from "#src/commands/settings/settings.ts";
import type { ManagedCollection } from "#src/platform-client/collection.ts";
import { HttpPlatformApi } from "#src/platform-client/http-api.ts";
import { PlatformSession } from "#src/platform-client/session.ts";
import { TokenSource } from "#src/platform-client/token-source.ts";
import { HttpTransport, type HttpTransportOptions } from "#src/platform-client/transport.ts";
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
  readonly tokenFile: string;
}

export interface PlatformConnectionOptions {
  readonly collections: readonly ManagedCollection[];
  readonly connections: number;
  /** The deadline of one call, in milliseconds. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  /** Aborts the calls in flight and everything that waits. */
  readonly signal: AbortSignal;
  /** False once another process may be the leader. */
  readonly canWrite: () => boolean;
  /** How long after it was sent a request may still take effect, in milliseconds. */
  readonly settleMs: number;
  readonly observe: NonNullable<HttpTransportOptions["observe"]>;
}

export interface PlatformConnection {
  readonly session: PlatformSession;
  /** The number of token exchanges so far. */
  readonly credentialEpoch: () => number;
  close(): Promise<void>;
}

/**
 * Creates the session of one credential, which reads and writes below `roots` only, with connections and tokens of its own. It sends nothing until
 * the session is used.
 */
export function connectPlatform(
  { platformUrl, authUrl, ca, identity, tokenFile }: PlatformCredential,
  roots: readonly string[],
  { collections, connections, deadlineMs, clock, signal, canWrite, settleMs, observe }: PlatformConnectionOptions,
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
  const tokens = new TokenSource(transport, { authUrl, audience, identity, tokenFile, clock });
  const credentialEpoch = () => tokens.epoch;
  const session = new PlatformSession({
    api: new HttpPlatformApi(transport, tokens, platformUrl, clock),
    identity,
    roots,
    credentialEpoch,
    collections,
    settleMs,
    clock,
    signal,
    canWrite,
  });
  return { session, credentialEpoch, close: () => transport.close() };
}

/** The operator's own credential. @throws if the file of `--platform-ca` cannot be read. */
export async function readCredential(values: OperatorValues): Promise<PlatformCredential> {
  const ca = values.platformCa === undefined ? undefined : await readTextFile("--platform-ca", values.platformCa);
  return {
    platformUrl: values.platformUrl,
    authUrl: values.authUrl ?? values.platformUrl,
    ...(ca === undefined ? {} : { ca }),
    identity: values.identity,
    tokenFile: values.tokenFile,
  };
}
