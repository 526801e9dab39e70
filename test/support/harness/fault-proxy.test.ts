import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { type CallEnd, FaultProxy } from "./fault-proxy.ts";

const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A call through a proxy to a platform. @param beforeResponding what happens while the caller waits */
async function call(beforeResponding: (giveUp: () => void) => Promise<void>): Promise<CallEnd> {
  const server = createServer((_, response) => response.end("{}"));
  await listenOnLoopback(server);
  cleanups.push(() => void server.close());
  const proxy = await FaultProxy.start();
  cleanups.push(() => proxy.stop());
  proxy.target = `http://127.0.0.1:${portOf(server)}`;
  const caller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<CallEnd>();
  proxy.options = {
    beforeResponding: () => beforeResponding(() => caller.abort()),
    afterResponding: (_, end) => resolve(end),
  };
  const { signal } = caller;
  await fetch(`${proxy.url}/iam/v2beta1/groups`, { method: "POST", body: "{}", signal }).then(
    (response) => response.text(),
    () => undefined,
  );
  return await promise;
}

it("says that a response was sent", async () => {
  expect(await call(async () => undefined)).toMatchObject({ isSent: true });
});

it("says that the caller gave up before the platform responded", async () => {
  const end = await call(async (giveUp) => {
    giveUp();
    // The proxy notices it when the connection closes.
    await sleep(300);
  });
  expect(end).toMatchObject({ isSent: false });
});
