import { createHmac } from "node:crypto";
import pino from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { record } from "../audit/audit-log.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { NameResolver } from "../names/name-resolver.ts";
import type { Database } from "../store/database.ts";
import { describeOnEachBackend } from "../tests/describe-on-each-backend.testing.ts";
import { AuditExport } from "./audit-export.ts";
import { WebhookReceiver } from "./webhook-receiver.testing.ts";

const secret = "0123456789abcdef0123456789abcdef";
const delays = { poll: 20, standby: 20, retry: 10, maximumRetry: 40, request: 5_000 };

describeOnEachBackend("audit export", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  let receiver: WebhookReceiver;
  let lines: string[];
  const clock = { offset: 0 };
  const exports: AuditExport[] = [];
  beforeEach(async () => {
    ({ database, remove } = await open());
    receiver = await WebhookReceiver.start();
    lines = [];
    clock.offset = 0;
  });
  afterEach(async () => {
    for (const one of exports.splice(0)) await one.close();
    await receiver.close();
    await remove();
  });

  const now = () => Date.now() + clock.offset;
  const start = ({ on = database, readSecrets = () => [secret], request = delays.request } = {}) => {
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const webhook = { url: receiver.url, ca: undefined, readSecrets };
    const started = new AuditExport({
      database: on,
      webhook,
      names: new NameResolver(),
      clock: now,
      log,
      delays: { ...delays, request },
    });
    exports.push(started);
    return started;
  };
  const add = (count: number, description = "") =>
    database.write(async (writer) => {
      const tx = new AuthoredWriter(writer, { kind: "host", command: "test" }, now());
      for (let n = 0; n < count; n++)
        await record(tx, { action: "create", type: "group", uid: "a", fields: { description: { new: description } } });
    });
  const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
  const received = (last: number) => vi.waitUntil(() => receiver.ids.at(-1) === last, { timeout: 20_000, interval: 5 });

  it("sends every record once and in order, as signed lines of JSON, also after a restart", async () => {
    await add(1_200);
    const first = start();
    await received(1_200);
    await first.close();
    await add(3);
    const second = start();
    await received(1_203);
    await add(1);
    await received(1_204);
    expect(receiver.ids).toEqual(upTo(1_204));
    expect(receiver.requests.map(({ ids }) => ids.length)).toEqual([500, 500, 200, 3, 1]);
    for (const { signature, body, contentType } of receiver.requests) {
      const [, time = "", value] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
      expect(Math.abs(Number(time) * 1_000 - Date.now())).toBeLessThan(60_000);
      expect(value).toBe(createHmac("sha256", secret).update(`${time}.${body}`).digest("hex"));
      expect(contentType).toBe("application/x-ndjson");
    }
    expect(JSON.parse(receiver.requests.at(-1)?.body ?? "")).toMatchObject({ action: "create", resource: "a" });
    await vi.waitUntil(async () => (await second.lag()) === 0);
    expect([first.exported, second.exported]).toEqual([1_200, 4]);
  });

  it("keeps requests small", async () => {
    await add(30, "x".repeat(100_000));
    start();
    await received(30);
    expect(receiver.ids).toEqual(upTo(30));
    for (const { body } of receiver.requests) expect(body.length).toBeLessThan(1_100_000);
  });

  it("retries while the receiver fails, hangs, redirects or is down, and loses nothing", async () => {
    receiver.statuses.push(500, "never", 302, 404, 204, 503);
    await add(2);
    const running = start({ request: 250 });
    await received(2);
    await add(1);
    await received(3);
    expect(running.failures).toBe(5);
    const { port } = receiver;
    await receiver.close();
    await add(1);
    await vi.waitUntil(() => running.failures > 6);
    expect(await running.lag()).toBeGreaterThan(0);
    const down = receiver;
    receiver = await WebhookReceiver.start(port);
    await received(4);
    expect([...down.ids, ...receiver.ids]).toEqual(upTo(4));
    const log = lines.join("\n");
    for (const text of ["HTTP status 500", "did not respond in time", "HTTP status 302", "is unreachable"])
      expect(log).toContain(text);
    expect(log).not.toContain(secret);
  });

  it("sends the records again if it was killed before it had stored their position", async () => {
    await add(5);
    const killed: Database = {
      read: (work) => database.read(work),
      write: (work) => (receiver.requests.length === 0 ? database.write(work) : Promise.reject(new Error("killed"))),
      close: () => database.close(),
    };
    const first = start({ on: killed });
    await received(5);
    await first.close();
    expect(lines.join("\n")).toContain("the lease on the export of audit records could not be released");
    // The next replica waits for the end of the lease.
    const before = receiver.requests.length;
    start();
    await add(1);
    clock.offset = 31_000;
    await received(6);
    expect(receiver.requests[before]?.ids).toEqual(upTo(6));
  });

  it("is done by one replica at a time, and by another one when that stops", async () => {
    const replicas = [start(), start()];
    for (let count = 0; count < 20; count++) await add(10);
    await received(200);
    expect(receiver.ids).toEqual(upTo(200));
    await vi.waitUntil(async () => (await replicas[0]?.lag()) === 0);
    const [one, other] = replicas.toSorted((a, b) => b.exported - a.exported);
    expect([one?.exported, other?.exported]).toEqual([200, 0]);
    await one?.close();
    await add(1);
    await received(201);
    expect(receiver.ids).toEqual(upTo(201));
    await vi.waitUntil(() => other?.exported === 1);
  });

  it("signs with each secret of the file, and waits while the file is not valid", async () => {
    let secrets: readonly string[] | undefined;
    await add(1);
    const readSecrets = () => {
      if (secrets === undefined) throw new Error("--audit-webhook-secret-file: no secret");
      return [...secrets];
    };
    const running = start({ readSecrets });
    await vi.waitUntil(() => running.failures > 0);
    secrets = [secret, "another secret of 32 characters!"];
    await received(1);
    expect(receiver.requests[0]?.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  });
});
