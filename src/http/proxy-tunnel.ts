import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import type { buildConnector } from "undici";
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
 * https or http. It is used instead of undici's proxy agent, whose attempts wait five minutes for a silent proxy and keep
 * their place in the pool. No error contains the proxy's user name or password.
 */
export function tunnelConnector(options: TunnelOptions): buildConnector.connector {
  return (target, callback) => {
    openTunnel(target, options).then(
      (socket) => callback(null, socket),
      // Undici would retry an error with certain codes for ever, so only the message and the cause stay.
      (cause: Error) => callback(new Error(cause.message, { cause }), null),
    );
  };
}

async function openTunnel(
  { hostname, port, protocol, servername }: buildConnector.Options,
  { proxy, timeoutMs, clock, tls }: TunnelOptions,
): Promise<Socket> {
  const secure = protocol === "https:";
  const authority = `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port || (secure ? 443 : 80)}`;
  const sockets: Socket[] = [];
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancelDeadline = clock.setTimer(
    () => reject(new Error(`the proxy ${displayProxy(proxy)} did not connect to ${authority} within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    const tunnel = await Promise.race([late, connectToProxy(proxy, sockets)]);
    await Promise.race([late, requestTunnel(tunnel, authority, proxy)]);
    if (!secure) return tunnel;
    const name = tls.servername ?? servername ?? (isIP(hostname) === 0 ? hostname : undefined);
    const socket = connectTls({
      ...tls,
      socket: tunnel,
      host: hostname,
      ALPNProtocols: ["http/1.1"],
      ...(name === undefined ? {} : { servername: name }),
    });
    keep(socket, sockets);
    await Promise.race([late, opened(socket, "secureConnect")]);
    return socket;
  } catch (error) {
    for (const socket of sockets) socket.destroy();
    throw error;
  } finally {
    cancelDeadline();
  }
}

/** An error between two steps has no other listener. */
function keep(socket: Socket, sockets: Socket[]): void {
  sockets.push(socket.on("error", () => undefined));
}

async function connectToProxy(proxy: URL, sockets: Socket[]): Promise<Socket> {
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const secure = proxy.protocol === "https:";
  const port = Number(proxy.port || (secure ? 443 : 80));
  const socket = secure
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectTcp({ host, port });
  keep(socket, sockets);
  socket.setNoDelay(true).setKeepAlive(true, 60_000);
  await opened(socket, secure ? "secureConnect" : "connect").catch((cause: Error) => {
    throw new Error(`cannot connect to the proxy ${displayProxy(proxy)}: ${cause.message}`, { cause });
  });
  return socket;
}

/** Resolves once the proxy has opened the tunnel. What follows its response stays in the socket. */
async function requestTunnel(socket: Socket, authority: string, proxy: URL): Promise<void> {
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const authorization = username === "" ? "" : `Proxy-Authorization: Basic ${credentials}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  const status = await readStatus(socket, proxy);
  if (status >= 200 && status < 300) return;
  const why =
    status === 407
      ? username === ""
        ? "it requires a user name and a password, as in http://USER:PASSWORD@HOST:PORT"
        : "it does not accept the user name and the password"
      : "check what the proxy allows, or add the host to NO_PROXY";
  throw new Error(`the proxy ${displayProxy(proxy)} refused to connect to ${authority} (HTTP ${status}): ${why}`);
}

function readStatus(socket: Socket, proxy: URL): Promise<number> {
  const name = displayProxy(proxy);
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const end = () => {
      socket.off("readable", read).off("error", reject).off("close", closed);
    };
    const fail = (message: string) => {
      end();
      reject(new Error(message));
    };
    const closed = () => fail(`the proxy ${name} closed the connection without a response`);
    const read = () => {
      for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
        head = Buffer.concat([head, chunk]);
        const length = head.indexOf("\r\n\r\n");
        if (length === -1 && head.length > maxHeadBytes) return fail(`the response of the proxy ${name} is too long`);
        if (length === -1) continue;
        end();
        if (head.length > length + 4) socket.unshift(head.subarray(length + 4));
        const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString("latin1", 0, length)) ?? [];
        if (status === undefined) return reject(new Error(`the response of the proxy ${name} is not HTTP`));
        return resolve(Number(status));
      }
    };
    socket.on("readable", read).once("error", reject).once("close", closed);
  });
}

function opened(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error("the connection was closed"));
    socket
      .once("error", reject)
      .once("close", closed)
      .once(event, () => {
        socket.off("error", reject).off("close", closed);
        resolve();
      });
  });
}
