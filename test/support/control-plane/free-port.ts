import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A free port on loopback, for a server that cannot choose one itself. It is below the range of ephemeral ports, which
 * the system assigns to outgoing connections and to port 0, so it is likely to stay free until the server binds it.
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
