import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import type { Abuser } from "./abuser.ts";

/** A session to the platform. Its errors are counted. */
export function grpcSession(abuser: Abuser): ClientHttp2Session {
  const session = connect(abuser.origin, { maxSessionMemory: 1_000 });
  session.on("error", (error: NodeJS.ErrnoException) => abuser.count(error.code ?? error.message));
  return session;
}

/** A gRPC message with its prefix of five bytes. */
export function grpcMessage(message: Uint8Array, isCompressed = false): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = isCompressed ? 1 : 0;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Opens the stream of a call. The gRPC status of its end is counted. */
export function grpcStream(
  abuser: Abuser,
  session: ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): ClientHttp2Stream {
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${abuser.ownerToken}`,
    ...headers,
  });
  const count = (received: object) => {
    const status = (received as Readonly<Record<string, string | undefined>>)["grpc-status"];
    if (status !== undefined) abuser.count(`grpc ${status}`);
  };
  stream.on("response", count);
  stream.on("trailers", count);
  stream.on("error", (error: NodeJS.ErrnoException) => abuser.count(error.code ?? error.message));
  stream.resume();
  return stream;
}

/** Keeps sessions with concurrent calls, until the signal is aborted. @param callOf makes the call of a new stream */
export async function grpcFlood(
  abuser: Abuser,
  signal: AbortSignal,
  { sessions, streams }: { readonly sessions: number; readonly streams: number },
  callOf: (session: ClientHttp2Session, n: number) => ClientHttp2Stream,
): Promise<void> {
  await abuser.repeat(signal, sessions, async () => {
    const session = grpcSession(abuser);
    const stop = () => session.destroy();
    signal.addEventListener("abort", stop);
    const closed = new Promise<void>((resolve) => session.once("close", () => resolve()));
    let n = 0;
    const next = () => {
      if (signal.aborted || session.closed || session.destroyed) return;
      callOf(session, n++).once("close", () => setImmediate(next));
    };
    session.once("connect", () => {
      for (let stream = 0; stream < streams; stream++) next();
    });
    await closed;
    signal.removeEventListener("abort", stop);
  });
}
