import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port on loopback that nobody listens on, for a server that cannot choose one itself. Taken from below the range
 * from which systems give ports to outgoing connections and to those who ask for any, so that it stays free until the
 * server takes it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const probe = createServer();
    try {
      probe.listen(port, "127.0.0.1");
      await once(probe, "listening");
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    } finally {
      await new Promise((resolve) => probe.close(resolve));
    }
  }
}
