import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { buildConnector, Client, errors } from "undici";
import type { Clock } from "#src/time/clock.ts";
import { displayProxy } from "./proxy-settings.ts";

export interface TunnelOptions {
  readonly proxy: URL;
  /** The time limit in milliseconds from the connection to the proxy to the end of the TLS handshake with the target. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** For the target: its certificate authorities, a client certificate, its name. The proxy has those of Node. */
  readonly tls: Pick<ConnectionOptions, "ca" | "cert" | "key" | "servername" | "rejectUnauthorized">;
}

/** A longer head of the proxy's response ends the connection. */
const maxHeadBytes = 16 * 1024;

/**
 * A connector for undici's `connect` option that reaches every target through a tunnel of an HTTP proxy (CONNECT), with
 * https or http. It is used instead of undici's proxy agent, which has no deadline for the whole way to the target, and whose errors
 * name neither the proxy nor what to do. No error contains the proxy's user name or password.
 */
export function tunnelConnector(options: TunnelOptions): buildConnector.connector {
  const { timeoutMs: timeout, tls } = options;
  const connectTls = buildConnector({ ...tls, allowH2: false, timeout });
  return (target, callback) => {
    openTunnel(target, connectTls, options).then(
      (socket) => callback(null, socket),
      // Undici would retry an error with certain codes for ever, so only the message and the cause stay.
      (cause: Error) => callback(new Error(cause.message, { cause }), null),
    );
  };
}

async function openTunnel(
  target: buildConnector.Options,
  connectTls: buildConnector.connector,
  { proxy, timeoutMs, clock, tls }: TunnelOptions,
): Promise<Socket> {
  const { hostname, port, protocol } = target;
  const secure = protocol === "https:";
  const authority = `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port || (secure ? 443 : 80)}`;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancelDeadline = clock.setTimer(
    () => reject(new Error(`the proxy ${displayProxy(proxy)} did not connect to ${authority} within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const connectToProxy = buildConnector({ allowH2: false, timeout: timeoutMs });
  const client = new Client(proxy.origin, {
    // Without the name of the target, with which undici would verify the certificate of the proxy.
    connect: ({ hostname: name, host = name, port: at, protocol: scheme }, callback) =>
      connectToProxy({ hostname: name, host, port: at, protocol: scheme }, callback),
    headersTimeout: 0,
    maxHeaderSize: maxHeadBytes,
  });
  let tunnel: Duplex | undefined;
  try {
    tunnel = await Promise.race([late, requestTunnel(client, authority, proxy)]);
    if (!secure) return tunnel as Socket;
    const servername = tls.servername ?? target.servername;
    const named = { ...target, ...(servername === undefined ? {} : { servername }), httpSocket: tunnel as Socket };
    const handshake = new Promise<Socket>((resolve, fail) =>
      connectTls(named, (error, socket) => (error === null ? resolve(socket) : fail(error))),
    );
    return await Promise.race([late, handshake]);
  } catch (error) {
    tunnel?.destroy();
    throw error;
  } finally {
    cancelDeadline();
    // The tunnel is no longer the client's.
    void client.destroy();
  }
}

async function requestTunnel(client: Client, authority: string, proxy: URL): Promise<Duplex> {
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const headers = {
    host: authority,
    ...(username === "" ? {} : { "proxy-authorization": `Basic ${credentials}` }),
  };
  const { socket, statusCode } = await client.connect({ path: authority, headers }).catch((cause: Error) => {
    throw new Error(messageOf(cause, displayProxy(proxy)), { cause });
  });
  if (statusCode >= 200 && statusCode < 300) return socket;
  socket.on("error", () => undefined).destroy();
  const why =
    statusCode === 407
      ? username === ""
        ? "it requires a user name and a password, as in http://USER:PASSWORD@HOST:PORT"
        : "it does not accept the user name and the password"
      : "check what the proxy allows, or add the host to NO_PROXY";
  throw new Error(`the proxy ${displayProxy(proxy)} refused to connect to ${authority} (HTTP ${statusCode}): ${why}`);
}

function messageOf(error: Error, proxy: string): string {
  if (error instanceof errors.HeadersOverflowError) return `the response of the proxy ${proxy} is too long`;
  if (error instanceof errors.HTTPParserError) return `the response of the proxy ${proxy} is not HTTP`;
  if (error instanceof errors.SocketError) return `the proxy ${proxy} closed the connection without a response`;
  return `cannot connect to the proxy ${proxy}: ${error.message}`;
}
