import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { opening } from "#test/platform/abuse/abuser/http2-frames.ts";

/** The beginning of a TLS record with a ClientHello of 512 bytes, which never comes. */
const beginOfHello = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]);

export interface Peer {
  readonly host: string;
  readonly port: number;
}

export interface ConnectionState {
  readonly name: string;
  readonly tls: boolean;
  /** Opens a connection, and brings it into the state. */
  readonly open: (peer: Peer) => Promise<Socket>;
}

async function plain(peer: Peer, first: string | Buffer = ""): Promise<Socket> {
  const socket = connect(peer);
  await once(socket, "connect");
  socket.resume();
  if (first.length > 0) socket.write(first);
  return socket;
}

async function secure(peer: Peer, protocol: string, first: string | Buffer = ""): Promise<Socket> {
  const socket = connectTls({ ...peer, rejectUnauthorized: false, ALPNProtocols: [protocol] });
  await once(socket, "secureConnect");
  socket.resume();
  if (first.length > 0) socket.write(first);
  return socket;
}

async function afterResponse(socket: Socket): Promise<Socket> {
  await once(socket, "data");
  return socket;
}

const request = "GET /livez HTTP/1.1\r\nhost: platform\r\n\r\n";

/** What a connection without a running request can be at. */
export const connectionStates: readonly ConnectionState[] = [
  { name: "accepted, without a byte", tls: false, open: (peer) => plain(peer) },
  { name: "HTTP/1.1, after a request", tls: false, open: async (peer) => afterResponse(await plain(peer, request)) },
  { name: "HTTP/2, after its preface", tls: false, open: async (peer) => afterResponse(await plain(peer, opening)) },
  { name: "TLS, before the handshake", tls: true, open: (peer) => plain(peer, beginOfHello) },
  { name: "TLS, without a request", tls: true, open: (peer) => secure(peer, "http/1.1") },
  {
    name: "TLS, HTTP/1.1, after a request",
    tls: true,
    open: async (peer) => afterResponse(await secure(peer, "http/1.1", request)),
  },
  { name: "TLS, HTTP/2, before its preface", tls: true, open: (peer) => secure(peer, "h2") },
  { name: "TLS, HTTP/2, after a request", tls: true, open: afterHttp2Request },
];

async function afterHttp2Request({ host, port }: Peer): Promise<Socket> {
  const session = connectHttp2(`https://${host}:${port}`, { rejectUnauthorized: false });
  const stream = session.request({ ":path": "/livez" });
  stream.resume();
  await once(stream, "close");
  return session.socket;
}
