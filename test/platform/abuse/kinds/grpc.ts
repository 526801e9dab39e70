import { gzipSync } from "node:zlib";
import type { AbuseKind } from "../abuse-kind.ts";
import { grpcFlood, grpcMessage, grpcStream } from "../abuser/grpc-calls.ts";

const groups = "/muster.platform.iam.v2beta1.GroupsService";

export const watches: AbuseKind = {
  name: "watches",
  what: "10,000 streams of health Watch, without a token",
  prepare: (abuser) => (signal) =>
    grpcFlood(abuser, signal, { sessions: 40, streams: 250 }, (session) => {
      const stream = grpcStream(abuser, session, "/grpc.health.v1.Health/Watch", { authorization: "" });
      stream.end(grpcMessage(Buffer.alloc(0)));
      return stream;
    }),
};

export const reflections: AbuseKind = {
  name: "reflections",
  what: "server reflection without a token: many streams with many requests",
  prepare: (abuser) => {
    // file_containing_symbol
    const symbol = Buffer.from("muster.platform.iam.v2beta1.GroupsService");
    const request = grpcMessage(Buffer.concat([Buffer.from([0x22, symbol.length]), symbol]));
    const requests = Buffer.concat(Array.from({ length: 900 }, () => request));
    return (signal) =>
      grpcFlood(abuser, signal, { sessions: 10, streams: 100 }, (session) => {
        const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
        const stream = grpcStream(abuser, session, path, { authorization: "" });
        stream.end(requests);
        return stream;
      });
  },
};

export const gzipBombs: AbuseKind = {
  name: "gzip-bombs",
  what: "compressed gRPC messages of 900 KB that expand to 900 MB",
  prepare: (abuser) => {
    const bomb = grpcMessage(gzipSync(Buffer.alloc(900 * 1024 * 1024)), true);
    return (signal) =>
      grpcFlood(abuser, signal, { sessions: 10, streams: 5 }, (session) => {
        const stream = grpcStream(abuser, session, `${groups}/ListGroups`, { "grpc-encoding": "gzip" });
        stream.end(bomb);
        return stream;
      });
  },
};

export const bigMessages: AbuseKind = {
  name: "big-messages",
  what: "gRPC messages of 1 MB, with 400,000 fields and with empty frames",
  prepare: (abuser) => {
    const fields = Buffer.concat(Array.from({ length: 450_000 }, () => Buffer.from([0x0a, 0x00])));
    const ids = Buffer.concat(Array.from({ length: 150_000 }, () => Buffer.from([0x0a, 0x04, 0x2a, 0x02, 0x61, 0x61])));
    const messages = [grpcMessage(fields), grpcMessage(ids), Buffer.alloc(1_000_000)];
    return (signal) =>
      grpcFlood(abuser, signal, { sessions: 10, streams: 10 }, (session, n) => {
        const stream = grpcStream(abuser, session, `${groups}/ListGroups`);
        stream.end(messages[n % messages.length]);
        return stream;
      });
  },
};

export const grpcWeb: AbuseKind = {
  name: "grpc-web",
  what: "gRPC-web and Connect calls, 300 at a time",
  prepare: (abuser) => (signal) =>
    abuser.flood(signal, 300, (n) => ({
      method: "POST",
      path: `${groups}/ListGroups`,
      body: n % 2 === 0 ? grpcMessage(Buffer.from([0x10, 0xc8, 0x01])) : "{}",
      headers: { "content-type": n % 2 === 0 ? "application/grpc-web+proto" : "application/json" },
    })),
};
