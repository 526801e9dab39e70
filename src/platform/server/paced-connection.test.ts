import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { PacedConnection } from "./paced-connection.ts";

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

/** Both ends of a connection. */
async function connection(): Promise<{ client: Socket; server: Socket }> {
  const listener = createServer({ pauseOnConnect: true });
  await listenOnLoopback(listener);
  const accepted = once(listener, "connection") as Promise<[Socket]>;
  const client = connect(portOf(listener), "127.0.0.1");
  const [server] = await accepted;
  listener.close();
  opened.push(client, server);
  return { client, server };
}

describe("PacedConnection", () => {
  it("receives one piece in each turn", async () => {
    const { client, server } = await connection();
    let turns = 0;
    const received: Buffer[] = [];
    let receivedOutOfTurn = 0;
    const paced = new PacedConnection(server, async () => {
      const before = received.length;
      await nextTurn();
      receivedOutOfTurn += received.length - before;
      turns += 1;
    });
    const sent = Buffer.alloc(100_000, "0123456789");
    client.write(sent);
    paced.on("data", (piece: Buffer) => received.push(piece));
    await vi.waitUntil(() => Buffer.concat(received).length === sent.length);
    expect(received).toHaveLength(turns);
    expect(turns).toBeGreaterThan(5);
    expect(receivedOutOfTurn).toBe(0);
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });
});
