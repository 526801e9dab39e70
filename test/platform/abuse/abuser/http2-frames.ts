const types = { headers: 1, rstStream: 3, settings: 4, ping: 6, windowUpdate: 8, continuation: 9 } as const;

export const endStream = 1;
export const endHeaders = 4;

/** A frame of HTTP/2 (RFC 9113). */
export function frame(
  type: keyof typeof types,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = types[type];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The bytes that open every HTTP/2 connection of a client: the preface, and empty settings. */
export const opening: Buffer = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  frame("settings", 0, 0),
]);

/** A header block of literal fields without indexing (RFC 7541, 6.2.2). Names and values have at most 126 bytes. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(headers).map(([name, value]) =>
      Buffer.concat([
        Buffer.from([0, name.length]),
        Buffer.from(name),
        Buffer.from([value.length]),
        Buffer.from(value),
      ]),
    ),
  );
}

/** The header block of a request. */
export function requestHeaders(method: string, path: string): Buffer {
  return headerBlock({ ":method": method, ":scheme": "http", ":authority": "platform", ":path": path });
}
