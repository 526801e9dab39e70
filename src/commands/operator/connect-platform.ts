import { readTextFile } from "#src/commands/settings/settings.ts";
import type { Proxies } from "#src/http/proxies.ts";
import type { ManagedCollection } from "#src/platform-client/collection.ts";
import { GovernedApi } from "#src/platform-client/governed-api.ts";
import { HttpPlatformApi } from "#src/platform-client/http-api.ts";
import { OwnerCheck } from "#src/platform-client/owner-check.ts";
import { PostLedger } from "#src/platform-client/post-ledger.ts";
import { PlatformSession } from "#src/platform-client/session.ts";
import { SharedRoles } from "#src/platform-client/shared-roles.ts";
import type { ReadSubjectToken } from "#src/platform-client/subject-token-file.ts";
import { TokenSource } from "#src/platform-client/token-source.ts";
import { HttpTransport, type HttpTransportOptions } from "#src/platform-client/transport.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { ConnectedSession, SessionCredential } from "#src/reconcile/tenancy/tenant-sessions.ts";
import type { Tracer } from "#src/telemetry/tracer.ts";
import type { Clock } from "#src/time/clock.ts";
import type { OperatorValues } from "./settings.ts";

/** Where a platform is. */
export interface PlatformAddress {
  readonly platformUrl: URL;
  readonly authUrl: URL;
  /** PEM certificates of the authorities to trust. Absent: the default ones. */
  readonly ca?: string;
  /** Absent: both are called directly. */
  readonly proxies?: Proxies | undefined;
}

export interface PlatformConnectionOptions {
  readonly collections: readonly ManagedCollection[];
  /** The maximum number of connections of all sessions together, to the platform and to its token service each. */
  readonly connections: number;
  /** The deadline of one call, in milliseconds. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** False once another process may be the leader. */
  readonly canWrite: () => boolean;
  /** How long after it was sent a request may still take effect, in milliseconds. */
  readonly settleMs: number;
  readonly observe: NonNullable<HttpTransportOptions["observe"]>;
  readonly tracer?: Tracer | undefined;
}

/** How a session proves its identity, and where it may look. */
export interface SessionOptions extends SessionCredential {
  readonly readSubjectToken: ReadSubjectToken;
}

/** A session, and the check that the operator's identity records this operator. */
export interface OpenedSession extends ConnectedSession {
  readonly owner: OwnerCheck;
}

/**
 * One platform, for any number of sessions. They share the connections, so that the number of Tenants does not increase it,
 * and the ledger of POSTs, because an object may move from one session to another while the outcome of its POST is unknown.
 * Each has its own token, and what one of them has seen is not visible to another.
 */
export class PlatformConnection {
  readonly posts: PostLedger;
  readonly #address: PlatformAddress;
  readonly #options: PlatformConnectionOptions;
  readonly #transport: HttpTransport;
  readonly #sharedRoles = new SharedRoles();

  constructor(address: PlatformAddress, options: PlatformConnectionOptions) {
    this.#address = address;
    this.#options = options;
    const { connections, deadlineMs, clock, canWrite, settleMs, observe, tracer } = options;
    this.posts = new PostLedger(settleMs);
    const ca = address.ca === undefined ? {} : { ca: address.ca };
    this.#transport = new HttpTransport({
      connections,
      deadlineMs,
      clock,
      canWrite,
      ...ca,
      proxies: address.proxies,
      observe,
      tracer,
    });
  }

  /**
   * Creates a session, which reads and writes below its roots only. It sends nothing until it is used.
   * @param owner the owner that the operator's identity must record before anything is written: its name for the session of
   * the operator, and then the check that this session has, for those of Tenants.
   */
  openSession(
    { identity, roots, readSubjectToken }: SessionOptions,
    owner: string | OwnerCheck,
    signal: AbortSignal,
  ): OpenedSession {
    const { platformUrl, authUrl } = this.#address;
    const { collections, clock, random, canWrite } = this.#options;
    const audience = platformUrl.href.replace(/\/$/, "");
    const tokens = new TokenSource(this.#transport, { authUrl, audience, identity, readSubjectToken, clock });
    const credentialEpoch = () => tokens.epoch;
    const api = new GovernedApi(new HttpPlatformApi(this.#transport, tokens, platformUrl), {
      address: platformUrl.origin,
      probedGroup: parentOf(identity) ?? identity,
      clock,
      random,
      signal,
    });
    const check = owner instanceof OwnerCheck ? owner : new OwnerCheck({ api, identity, owner, clock, signal });
    const session = new PlatformSession({
      api,
      identity,
      owner: check,
      roots,
      credentialEpoch,
      collections,
      posts: this.posts,
      sharedRoles: this.#sharedRoles,
      clock,
      signal,
      canWrite,
    });
    return { session, credentialEpoch, tokenExpiresAt: () => tokens.expiresAt, owner: check };
  }

  /** Aborts all calls, and closes the connections. */
  async close(): Promise<void> {
    await this.#transport.close();
  }
}

/** The platform of the operator. @throws if the file of `--platform-ca` cannot be read. */
export async function readPlatformAddress(
  values: Pick<OperatorValues, "platformUrl" | "authUrl" | "platformCa">,
  proxies: Proxies | undefined,
): Promise<PlatformAddress> {
  const ca = values.platformCa === undefined ? undefined : await readTextFile("--platform-ca", values.platformCa);
  return {
    platformUrl: values.platformUrl,
    authUrl: values.authUrl ?? values.platformUrl,
    ...(ca === undefined ? {} : { ca }),
    proxies,
  };
}
