import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import { Agent } from "undici";
import { expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { sendRequest } from "./send-request.ts";

it("leaves neither a timer nor a listener behind after the response", async () => {
  const server = createServer((_request, response) => response.end("done"));
  const origin = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const agent = new Agent();
  const clock = new ManualClock();
  const { signal } = new AbortController();
  try {
    const sent = sendRequest(agent, { origin, path: "/", method: "GET" }, { clock, deadlineMs: 1_000, signal });
    expect(clock.pending).toBe(1);
    expect((await sent).text).toBe("done");
    expect(clock.pending).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  } finally {
    await agent.close();
    server.close();
  }
});
