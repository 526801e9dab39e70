import { connect } from "node:net";
import { flipped } from "./mutate-json.ts";
import { Random } from "./random.ts";
import type { FuzzingOptions } from "./rest-fuzzing.ts";

const concurrency = 16;

/** Sends bytes that are not valid HTTP. The server must close the connection within the time limit. */
export async function fuzzBytes(options: FuzzingOptions): Promise<ReadonlyMap<number, number>> {
  const { url, seed, requests, timeLimit, findings } = options;
  const statuses = new Map<number, number>();
  for (let done = 0; done < requests; done += concurrency) {
    await Promise.all(
      Array.from({ length: Math.min(concurrency, requests - done) }, async (_, index) => {
        const number = done + index + 1;
        const bytes = drawBytes(new Random(seed, `bytes ${number}`), new URL(url).host);
        const { text, isOver } = await untilClosed(new URL(url), bytes, timeLimit);
        const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const problem = !isOver
          ? "the connection stays open"
          : status >= 500 && status !== 501
            ? `status ${status}: ${text}`
            : undefined;
        const reproduction = `base64 -d <<<${bytes.subarray(0, 3_000).toString("base64")} | nc ${new URL(url).hostname} ${new URL(url).port}`;
        if (problem !== undefined) findings.add({ number, kind: "bytes", subject: "the port", problem, reproduction });
      }),
    );
    options.progress(Math.min(done + concurrency, requests));
  }
  return statuses;
}

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

function drawBytes(random: Random, host: string): Buffer {
  const request = Buffer.from(`GET /iam/v2beta1/groups HTTP/1.1\r\nHost: ${host}\r\nAccept: */*\r\n\r\n`);
  switch (random.int(0, 7)) {
    case 0:
      return random.bytes(random.int(0, 300));
    case 1:
      return flipped(request, random);
    case 2:
      return request.subarray(0, random.int(0, request.length));
    case 3:
      return Buffer.concat([request, random.bytes(random.int(1, 50)), request]);
    case 4:
      return Buffer.concat([preface.subarray(0, random.int(0, preface.length)), random.bytes(random.int(0, 30))]);
    case 5:
      return Buffer.concat([preface, settings, ...Array.from({ length: random.int(1, 20) }, () => frame(random))]);
    case 6:
      // The start of a TLS handshake, on a plaintext port.
      return Buffer.concat([Buffer.from("16030100a5010000a10303", "hex"), random.bytes(random.int(0, 200))]);
    default:
      return Buffer.from(
        `${random.pick(["CONNECT x:1", "GET http://evil/", "GET *", "OPTIONS *", `${"A".repeat(300)} /`, "GET /\0"])} HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
  }
}

/** The first frame of an HTTP/2 client: SETTINGS without a setting. */
const settings = Buffer.from("000000040000000000", "hex");

/** An HTTP/2 frame of a random type, for a random stream, with a random payload. */
function frame(random: Random): Buffer {
  const payload = random.bytes(random.pick([0, 1, 4, 5, 8, 50]));
  const head = Buffer.alloc(9);
  head.writeUIntBE(random.chance(0.9) ? payload.length : random.int(0, 2 ** 24 - 1), 0, 3);
  head[3] = random.int(0, 12);
  head[4] = random.int(0, 255);
  head.writeUInt32BE(random.pick([0, 1, 2, 3, 5, 2 ** 31 - 1]), 5);
  return Buffer.concat([head, payload]);
}

/** Sends the bytes, closes the sending side, and reads until the server closes the connection. */
function untilClosed(
  { hostname, port }: URL,
  bytes: Buffer,
  timeLimit: number,
): Promise<{ text: string; isOver: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
    let text = "";
    const end = (isOver: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, isOver });
    };
    const timer = setTimeout(() => end(false), timeLimit);
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("error", () => end(true));
    socket.on("close", () => end(true));
    socket.on("connect", () => socket.end(bytes));
  });
}
