import { once } from "node:events";
import { connect, createServer } from "node:net";
import { expect, it } from "vitest";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { http1Server } from "./http1-server.ts";
import { portLimits } from "./port-limits.ts";

it("begins only as many of the requests that arrive together as a connection may have", async () => {
  let begun = 0;
  const rejection = Promise.resolve(() => ({ status: 400, body: "" }));
  const http1 = http1Server({ ...portLimits, pipelinedRequests: 5 }, () => void begun++, rejection);
  const port = createServer((socket) => http1.emit("connection", socket));
  const client = connect(await listenOnLoopback(port), "127.0.0.1");
  client.on("error", () => {});
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_000));
  await once(client, "close");
  expect(begun).toBe(5);
  http1.close();
  port.close();
});
