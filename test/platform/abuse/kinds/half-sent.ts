import type { AbuseKind } from "../abuse-kind.ts";

/** Requests whose bodies never end. */
export const halfSentSmall: AbuseKind = {
  name: "half-sent-small",
  what: "2,000 requests of which half of the body is sent",
  prepare: (abuser) => (signal) =>
    abuser.hold(signal, 2_000, (socket) => {
      const head = `POST /iam/v2beta1/groups/${abuser.tenant.root} HTTP/1.1\r\nhost: platform\r\n`;
      socket.write(`${head}authorization: Bearer ${abuser.ownerToken}\r\ncontent-length: 100\r\n\r\n{"name":"half`);
    }),
};
