import type { Socket } from "node:net";

/** The first bytes of every HTTP/2 connection. */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * Begins connections of HTTP/1.1 and HTTP/2 without TLS on one port. Their first bytes distinguish them.
 * @param openingTime the time limit for the first bytes (ms)
 */
export function protocolSniffer(
  openingTime: number,
  onHttp1: (socket: Socket) => void,
  onHttp2: (socket: Socket) => void,
): (socket: Socket) => void {
  return (socket) => {
    let received = Buffer.alloc(0);
    const abandon = () => socket.destroy();
    const timer = setTimeout(abandon, openingTime);
    socket.on("error", abandon);
    socket.once("close", () => clearTimeout(timer));
    const decide = (handOver: (socket: Socket) => void) => {
      clearTimeout(timer);
      socket.off("readable", sniff);
      socket.off("error", abandon);
      socket.unshift(received);
      handOver(socket);
    };
    const sniff = () => {
      for (let chunk: unknown = socket.read(); chunk instanceof Buffer; chunk = socket.read()) {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const length = Math.min(received.length, preface.length);
        if (received.compare(preface, 0, length, 0, length) !== 0) return decide(onHttp1);
        if (length === preface.length) return decide(onHttp2);
      }
    };
    socket.on("readable", sniff);
  };
}
