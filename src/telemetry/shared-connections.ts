import type { Server } from "node:http";

/**
 * Limits the connections of a server, which addresses share: one that has twice as many as are free gets no more. So one
 * alone can have two thirds of them, and a part remains for the others. Further connections are closed.
 */
export function shareConnections(server: Server, maximum: number): void {
  const openOf = new Map<string, number>();
  let free = maximum;
  server.maxConnections = maximum;
  server.prependListener("connection", (socket) => {
    const { remoteAddress } = socket;
    // The peer is gone already.
    if (remoteAddress === undefined) return socket.destroy();
    const open = openOf.get(remoteAddress) ?? 0;
    if (open >= 2 * free) return socket.destroy();
    free -= 1;
    openOf.set(remoteAddress, open + 1);
    socket.once("close", () => {
      free += 1;
      const left = (openOf.get(remoteAddress) ?? 0) - 1;
      if (left > 0) openOf.set(remoteAddress, left);
      else openOf.delete(remoteAddress);
    });
  });
}
