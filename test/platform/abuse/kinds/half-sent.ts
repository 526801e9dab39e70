import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { AbuseKind } from "../abuse-kind.ts";
import type { Abuser } from "../abuser/abuser.ts";

const head = ({ tenant, ownerToken }: Abuser, length: number) =>
  `POST /iam/v2beta1/groups/${tenant.root} HTTP/1.1\r\nhost: platform\r\nauthorization: Bearer ${ownerToken}\r\ncontent-length: ${length}\r\n`;

export const halfSentSmall: AbuseKind = {
  name: "half-sent-small",
  what: "2,000 requests of which half of the body is sent",
  prepare: (abuser) => (signal) =>
    abuser.hold(signal, 2_000, (socket) => void socket.write(`${head(abuser, 100)}\r\n{"name":"half`)),
};

export const halfSentLarge: AbuseKind = {
  name: "half-sent-large",
  what: "900 requests of which 900 KB are sent, and the rest is not",
  prepare: (abuser) => {
    const part = Buffer.alloc(900_000, " ");
    return (signal) =>
      abuser.hold(signal, 900, (socket) => {
        socket.write(`${head(abuser, 1_000_000)}\r\n`);
        socket.write(part);
      });
  },
};

export const slowLoris: AbuseKind = {
  name: "slow-loris",
  what: "1,500 requests whose headers and bodies arrive byte by byte",
  prepare: (abuser) => async (signal) => {
    let n = 0;
    const sockets = new Set<Socket>();
    const trickle = (async () => {
      while (!signal.aborted) {
        for (const socket of sockets) socket.write("x");
        await sleep(100, undefined, { signal }).catch(() => {});
      }
    })();
    await abuser.hold(signal, 1_500, (socket) => {
      // Of every second request, the headers do not end either.
      socket.write(`${head(abuser, 100_000)}${n++ % 2 === 0 ? "\r\n" : "x-slow: "}`);
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
    await trickle;
  },
};

export const expectContinue: AbuseKind = {
  name: "expect-continue",
  what: "requests with Expect: 100-continue and no body after it",
  prepare: (abuser) => (signal) =>
    abuser.hold(signal, 1_500, (socket) => {
      socket.write(`${head(abuser, 1_000_000)}expect: 100-continue\r\n\r\n`);
    }),
};
