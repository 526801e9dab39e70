import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";

interface RawCall {
  readonly url: string;
  /** PEM certificates of the authorities to trust. */
  readonly ca: string | undefined;
  /** Such as `/muster.platform.iam.v2beta1.GroupsService/GetGroup`. */
  readonly path: string;
  readonly message: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Makes a unary gRPC call on a connection of its own. @returns the response's headers and trailers as on the wire */
export async function rawCall({ url, ca, path, message, headers, signal }: RawCall): Promise<IncomingHttpHeaders> {
  const session = connect(url, ca === undefined ? {} : { ca });
  try {
    const stream = session.request(
      { ...headers, ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" },
      { signal },
    );
    let all: IncomingHttpHeaders = {};
    const keep = (received: IncomingHttpHeaders) => {
      all = { ...all, ...received };
    };
    stream.on("response", keep).on("trailers", keep).resume();
    const length = Buffer.alloc(5);
    length.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([length, message]));
    await once(stream, "close");
    return all;
  } finally {
    session.destroy();
  }
}
