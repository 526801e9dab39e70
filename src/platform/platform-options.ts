import type { Logger } from "pino";
import type { Tracer } from "#src/telemetry/tracer.ts";
import type { WallClock } from "#src/time/wall-clock.ts";
import type { WebhookOptions } from "./audit-export/webhook.ts";
import type { FaultRule } from "./faults/fault-rule.ts";
import type { InitFile } from "./init-file.ts";
import type { NameResolver } from "./names/name-resolver.ts";
import type { ListenOptions } from "./server/http-server.ts";
import type { PlatformSettings } from "./service/platform-settings.ts";
import type { Database } from "./store/database.ts";
import type { MasterKey } from "./tokens/master-key.ts";

/** What a platform runs on and how it serves. The addresses and what the contract leaves open are `PlatformSettings`. */
export interface PlatformOptions {
  readonly database: Database;
  readonly masterKey: MasterKey;
  /** Resolves the names of issuers, identity providers, AWS STS and the webhook. */
  readonly names: NameResolver;
  readonly clock: WallClock;
  readonly log: Logger;
  readonly tracer?: Tracer | undefined;
  readonly listen: ListenOptions;
  readonly adminTokenFile: string;
  /** What the first start creates; undefined for a root group with a random uid. */
  readonly initFile: InitFile | undefined;
  /** Milliseconds by which each response of the API is delayed. */
  readonly latency: number;
  /** The maximum number of concurrent API calls. More fail with code 8. */
  readonly maximumInFlight: number;
  /** How many token issuers are asked for their keys at a time. */
  readonly maximumIssuerRequests: number;
  /** Milliseconds between the creation of two keys that sign API tokens. */
  readonly signingKeyInterval: number;
  /** Milliseconds after which records of the audit log are deleted; undefined to keep them. */
  readonly auditRetention: number | undefined;
  /** How many events of the audit log are kept. Changes do not count. */
  readonly maximumAuditEvents: number;
  /** Where the audit log is sent; undefined for nowhere. */
  readonly auditWebhook: WebhookOptions | undefined;
  /** The maximum number of calls per second of each identity; undefined for no limit. */
  readonly rateLimit: number | undefined;
  /** The initial fault rules, for testing clients. */
  readonly faults: readonly FaultRule[];
  /** Whether the admin can change fault rules at run time (`/faults`). */
  readonly faultInjection: boolean;
  /** Milliseconds for which a stopping platform serves calls while it is unready. */
  readonly drainDelay: number;
  /** @param url of the port, the default for addresses that are not configured */
  readonly settings: (url: string) => PlatformSettings;
}
