import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { AbuseKind } from "../abuse-kind.ts";
import { recordClientHello } from "../abuser/client-hello.ts";
import { opening } from "../abuser/http2-frames.ts";
import type { Abuser } from "../abuser/abuser.ts";

const get = ({ ownerToken }: Abuser, path: string, headers = "") =>
  `GET ${path} HTTP/1.1\r\nhost: platform\r\nauthorization: Bearer ${ownerToken}\r\n${headers}\r\n`;

export const slowReaders: AbuseKind = {
  name: "slow-readers",
  what: "1,000 connections that ask for pages and do not read them",
  prepare: (abuser) => (signal) =>
    abuser.hold(signal, 1_000, (socket) => {
      socket.pause();
      socket.write(get(abuser, "/registry/v2beta1/repos?page_size=200").repeat(8));
    }),
};

export const connectionFlood: AbuseKind = {
  name: "connection-flood",
  what: "connections that are opened and closed at once",
  prepare: (abuser) => (signal) =>
    abuser.repeat(signal, 500, async () => {
      const socket = abuser.socket();
      await once(socket, "connect");
      abuser.count("connected");
      socket.destroy();
    }),
};

export const idleConnections: AbuseKind = {
  name: "idle-connections",
  what: "6,000 connections that are kept open, most after one request",
  prepare: (abuser) => (signal) => {
    let n = 0;
    return abuser.hold(signal, 6_000, (socket) => {
      if (n++ % 10 !== 0) socket.write(get(abuser, "/livez"));
    });
  },
};

/** A platform as a small container has it. */
const small = { memoryMiB: 256, tls: true } as const;

/** The beginning of a TLS record with a ClientHello of 512 bytes, which never comes. */
const beginOfHello = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]);

export const tlsHandshakes: AbuseKind = {
  ...small,
  name: "tls-handshakes",
  what: "4,000 TLS connections that begin a handshake and leave it, with 256 MiB",
  prepare: (abuser) => {
    const open = () => {
      const socket = abuser.socket();
      socket.write(beginOfHello);
      return socket;
    };
    return (signal) => abuser.fill(signal, 4_000, open);
  },
};

export const tlsHellos: AbuseKind = {
  ...small,
  name: "tls-hellos",
  what: "ClientHellos on 20 connections at a time that are closed at the ServerHello, with 256 MiB",
  prepare: async (abuser) => {
    const hello = await recordClientHello();
    return (signal) =>
      abuser.repeat(signal, 20, async () => {
        const socket = abuser.socket();
        socket.write(hello);
        socket.once("data", () => {
          abuser.count("ServerHello");
          socket.resetAndDestroy();
        });
        await new Promise<void>((resolve) => socket.once("close", () => resolve()));
        await sleep(10);
      });
  },
};

export const tlsConnections: AbuseKind = {
  ...small,
  name: "tls-connections",
  what: "4,000 TLS connections without a request, with 256 MiB",
  prepare: (abuser) => (signal) => abuser.fill(signal, 4_000, () => abuser.secureSocket("http/1.1")),
};

export const tlsIdle: AbuseKind = {
  ...small,
  name: "tls-idle",
  what: "4,000 TLS connections with half a request, or an HTTP/2 session, that stay idle, with 256 MiB",
  prepare: (abuser) => {
    const half = get(abuser, "/livez", `x: ${"x".repeat(30_000)}\r\n`).slice(0, -2);
    const open = (n: number) => {
      const socket = abuser.secureSocket(n % 2 === 0 ? "http/1.1" : "h2");
      socket.write(n % 2 === 0 ? half : opening);
      return socket;
    };
    return (signal) => abuser.fill(signal, 4_000, open);
  },
};

export const garbage: AbuseKind = {
  name: "garbage",
  what: "first bytes of TLS, of half an HTTP/2 preface, and at random",
  prepare: (abuser) => (signal) => {
    const beginnings = [
      Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]),
      opening.subarray(0, 20),
      Buffer.concat([opening, randomBytes(4_000)]),
      randomBytes(30_000),
      Buffer.from("GET / HTTP/9.9\r\n\r\n"),
      Buffer.from("\r\n".repeat(10_000)),
    ];
    let n = 0;
    return abuser.hold(signal, 300, (socket) => {
      socket.write(beginnings[n++ % beginnings.length] ?? "");
    });
  },
};

export const headerBombs: AbuseKind = {
  name: "header-bombs",
  what: "requests with 31 KB of headers, and with more than the limit",
  prepare: (abuser) => {
    const headers = Array.from({ length: 1_900 }, (_, n) => `x-${n}: ${n}`);
    const many = `${headers.join("\r\n")}\r\n`;
    const long = `x-long: ${"x".repeat(40_000)}\r\n`;
    return (signal) => {
      let n = 0;
      return abuser.hold(signal, 300, (socket) => {
        const request = get(abuser, "/iam/v2beta1/groups?page_size=1", n++ % 4 === 0 ? long : many);
        socket.write(request.repeat(20));
        socket.end();
      });
    };
  },
};

export const pipelining: AbuseKind = {
  name: "pipelining",
  what: "1,000 requests at once on each of 200 connections",
  prepare: (abuser) => {
    const requests = get(abuser, "/iam/v2beta1/groups?page_size=50").repeat(1_000);
    return (signal) =>
      abuser.hold(signal, 200, (socket) => {
        socket.write(requests);
        socket.end();
      });
  },
};
