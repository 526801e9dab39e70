import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

/** The records of a name: its addresses, or what the server does instead. */
export type FakeRecords =
  | { readonly a?: readonly string[]; readonly aaaa?: readonly string[] }
  | "silent"
  | "silent about IPv6"
  | "failure";

const type = { a: 1, aaaa: 28 } as const;
const code = { none: 0, failure: 2, unknownName: 3 } as const;

/** A DNS server on loopback. It does not respond for some names, as a server on the internet may not. */
export class FakeNameServer {
  readonly #socket: Socket;
  readonly #recordsOf: (name: string) => FakeRecords | undefined;
  /** `A name` and `AAAA name`, in the order of the queries. */
  readonly queries: string[] = [];

  private constructor(socket: Socket, recordsOf: (name: string) => FakeRecords | undefined) {
    this.#socket = socket;
    this.#recordsOf = recordsOf;
    socket.on("message", (query, { address, port }) => {
      const response = this.#respond(query);
      if (response !== undefined) socket.send(response, port, address);
    });
  }

  /** @param recordsOf undefined for a name that does not exist */
  static async start(
    recordsOf: (name: string) => FakeRecords | undefined,
    { address = "127.0.0.1", port = 0 } = {},
  ): Promise<FakeNameServer> {
    const socket = createSocket("udp4").bind(port, address);
    await once(socket, "listening");
    return new FakeNameServer(socket, recordsOf);
  }

  /** `127.0.0.1:5353` */
  get address(): string {
    const { address, port } = this.#socket.address();
    return `${address}:${port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  /** RFC 1035, 4.1. Undefined for no response. */
  #respond(query: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let offset = 12;
    for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
      labels.push(query.toString("latin1", offset + 1, offset + 1 + length));
      offset += 1 + length;
    }
    const name = labels.join(".").toLowerCase();
    const asked = query.readUInt16BE(offset + 1);
    this.queries.push(`${asked === type.a ? "A" : "AAAA"} ${name}`);
    const records = this.#recordsOf(name);
    if (records === "silent" || (records === "silent about IPv6" && asked === type.aaaa)) return undefined;
    const addresses = addressesIn(records, asked);
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    const rcode = records === undefined ? code.unknownName : records === "failure" ? code.failure : code.none;
    header.writeUInt16BE(0x8180 | rcode, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const question = query.subarray(12, offset + 5);
    return Buffer.concat([header, question, ...addresses.map((address) => answer(asked, address))]);
  }
}

function addressesIn(records: FakeRecords | undefined, asked: number): readonly string[] {
  if (records === undefined || records === "silent" || records === "failure") return [];
  if (records === "silent about IPv6") return ["127.0.0.1"];
  return (asked === type.a ? records.a : asked === type.aaaa ? records.aaaa : []) ?? [];
}

/** A record for the name of the question. */
function answer(asked: number, address: string): Buffer {
  const data = asked === type.a ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc0_0c, 0);
  record.writeUInt16BE(asked, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const bytes = Buffer.alloc(16);
  for (const [n, group] of [...before, ...zeros, ...after].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), 2 * n);
  return bytes;
}
