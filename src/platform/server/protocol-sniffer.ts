import { createServer, type Server, type Socket } from "node:net";

/** The first bytes of every HTTP/2 connection. */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * Serves HTTP/1.1 and HTTP/2 without TLS on one port. The first bytes of a connection distinguish them.
 * @param openingTime the time limit for the first bytes (ms)
 */
export function sniffingServer(
  openingTime: number,
  onHttp1: (socket: Socket) => void,
  onHttp2: (socket: Socket) => void,
): Server {
  return createServer({ noDelay: true }, (socket) => {
    let seen = Buffer.alloc(0);
    const giveUp = () => socket.destroy();
    const timer = setTimeout(giveUp, openingTime);
    socket.on("error", giveUp);
    socket.once("close", () => clearTimeout(timer));
    const decide = (handOver: (socket: Socket) => void) => {
      clearTimeout(timer);
      socket.off("readable", sniff);
      socket.off("error", giveUp);
      socket.unshift(seen);
      handOver(socket);
    };
    const sniff = () => {
      for (let chunk: unknown = socket.read(); chunk instanceof Buffer; chunk = socket.read()) {
        seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
        const length = Math.min(seen.length, preface.length);
        if (seen.compare(preface, 0, length, 0, length) !== 0) return decide(onHttp1);
        if (length === preface.length) return decide(onHttp2);
      }
    };
    socket.on("readable", sniff);
  });
}
