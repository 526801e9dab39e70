import type { Proxies } from "#src/http/proxies.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { HttpPlatformApi, type Tokens } from "#src/platform-client/http-api.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { repeatedReads } from "./repeated-reads.ts";

/** Lists are read at the same time. */
const connections = 4;

export interface ReadOnlyPlatformOptions {
  readonly platformUrl: URL;
  /** Of one call (ms). */
  readonly deadlineMs: number;
  /** PEM certificates to trust instead of the default ones. */
  readonly ca: string | undefined;
  readonly proxies: Proxies | undefined;
  /** Where the token of each call comes from; an exchange uses the same connections. */
  readonly tokens: (transport: HttpTransport) => Tokens;
}

/** The API of a platform, its token source, and the end of its connections. */
export interface ReadOnlyPlatform {
  readonly api: ReadApi;
  readonly tokens: Tokens;
  readonly close: () => Promise<void>;
}

/** A platform to which nothing but GET requests is ever sent: the API has no other methods, and the transport refuses them. */
export function readOnlyPlatform(options: ReadOnlyPlatformOptions): ReadOnlyPlatform {
  const { ca, deadlineMs, platformUrl, proxies } = options;
  const transport = new HttpTransport({
    connections,
    deadlineMs,
    clock,
    proxies,
    ...(ca === undefined ? {} : { ca }),
    canWrite: () => false,
  });
  const tokens = options.tokens(transport);
  const api = repeatedReads(new HttpPlatformApi(transport, tokens, platformUrl), clock);
  return { api, tokens, close: () => transport.close() };
}
