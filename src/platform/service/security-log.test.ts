import pino from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Code, type ApiError, invalidArgument, permissionDenied, unauthenticated } from "../errors/api-error.ts";
import { notFound } from "../errors/api-error.ts";
import { recordCall } from "./record-call.ts";
import type { Database } from "../store/database.ts";
import { describeOnEachBackend } from "../tests/describe-on-each-backend.testing.ts";
import { readAuditLog } from "../audit/read-records.ts";
import { jsonOf } from "../audit/record-message.ts";
import { SecurityLog } from "../audit/security-log.ts";

describeOnEachBackend("security log", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ database, remove } = await open());
  });
  afterEach(() => remove());

  function start() {
    const lines: Record<string, unknown>[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
    const time = { now: 0 };
    const monotonic = () => time.now;
    const security = new SecurityLog({ database, log, clock: () => 1_000 + time.now, monotonic });
    const refuse = (error: ApiError, { operation = "GroupsService/GetGroup", address = "192.0.2.1" } = {}) =>
      recordCall(security, { method: operation, address, caller: undefined }, error);
    return { lines, time, security, refuse };
  }

  const records = async () => {
    const all = [];
    for await (const record of readAuditLog((work) => database.read(work), {})) all.push(jsonOf(record));
    return all;
  };

  it("records why a call was refused, and to whom, in both logs", async () => {
    const { lines, security, refuse } = start();
    refuse(permissionDenied("groups.list is required"));
    refuse(notFound("group", "x"));
    refuse(invalidArgument("name", "is required"));
    await security.close();
    const address = "192.0.2.1";
    const reason = "Permission denied: groups.list is required";
    expect(lines).toMatchObject([
      { level: 30, msg: "call refused", operation: "GroupsService/GetGroup", code: 7, cause: reason, address },
    ]);
    expect(await records()).toMatchObject([
      { action: "refuse", actor: { name: "anonymous" }, method: "GroupsService/GetGroup", code: 7, reason, address },
    ]);
  });

  it("records ten events of a cause in a minute, and how many it left out, in a bounded number of transactions", async () => {
    const { lines, time, security, refuse } = start();
    let writes = 0;
    const write = database.write.bind(database);
    database.write = (work) => {
      writes += 1;
      return write(work);
    };
    for (let count = 0; count < 1_000; count++) refuse(unauthenticated("a bearer token is required"));
    expect(lines).toHaveLength(10);
    refuse(permissionDenied("groups.list is required"));
    refuse(unauthenticated("a bearer token is required"), { operation: "GroupsService/ListGroups" });
    expect(lines).toHaveLength(12);
    await security.close();
    expect(writes).toBe(1);
    expect(security.omittedEvents).toBe(990);
    expect((await records()).map(({ code, omitted: count }) => [code, count])).toEqual([
      ...Array.from({ length: 10 }, () => [Code.unauthenticated, 0]),
      [Code.permissionDenied, 0],
      [Code.unauthenticated, 0],
      [Code.unauthenticated, 990],
    ]);
    time.now = 60_000;
    refuse(unauthenticated("a bearer token is required"));
    expect(lines).toHaveLength(14);
  });

  it("keeps one address from hiding the events of others, and all of them from filling the log", async () => {
    const { lines, security, refuse } = start();
    const about = (subject: string) => {
      const error = permissionDenied("no");
      error.explanation = { subject, fields: { mismatch: "the subject does not match" } };
      return error;
    };
    for (let count = 0; count < 1_000; count++) refuse(about(`subject ${count}`));
    expect(lines).toHaveLength(30);
    refuse(about("b"), { address: "192.0.2.2" });
    expect(lines.at(-1)).toMatchObject({ mismatch: "the subject does not match", resource: "b", address: "192.0.2.2" });
    for (let count = 0; count < 1_000; count++) refuse(about(`c ${count}`), { address: `192.0.2.${count % 256}` });
    expect(lines).toHaveLength(60);
    for (let count = 0; count < 100_000; count++) refuse(about("d"), { address: `198.${count >> 8}.${count % 256}.1` });
    expect(lines).toHaveLength(600);
    await security.close();
    const all = await records();
    expect(all).toHaveLength(601);
    expect(all.at(-1)).toMatchObject({ action: "omit", omitted: 102_001 - 600 });
  });

  it("records the event of an address while four others, each of a network of its own, cause all that they can", async () => {
    const { lines, security, refuse } = start();
    for (let count = 0; count < 10_000; count++)
      refuse(unauthenticated("no"), { operation: `/${count}`, address: `198.51.${count % 4}.7` });
    refuse(unauthenticated("no"), { address: "192.0.2.1" });
    expect(lines.at(-1)).toMatchObject({ address: "192.0.2.1" });
    await security.close();
  });

  it.each([
    ["root groups", (count: number) => `${String(count % 4).repeat(40)}/${"0".repeat(16)}`, "9".repeat(40)],
    ["identities", (count: number) => `${"9".repeat(40)}/${String(count % 1).repeat(16)}`, "9".repeat(40)],
  ])("records the event of an identity while other %s cause all that they can", async (_, abuser, root) => {
    const { lines, security } = start();
    const refuse = (uid: string, method: string) =>
      recordCall(
        security,
        {
          method,
          address: "192.0.2.1",
          caller: { kind: "identity", uid, actor: { iss: "", sub: "", aud: "" } } as never,
        },
        permissionDenied("no"),
      );
    for (let count = 0; count < 10_000; count++) refuse(abuser(count), `/${count}`);
    const bystander = `${root}/${"f".repeat(16)}`;
    refuse(bystander, "GroupsService/GetGroup");
    expect(lines.at(-1)).toMatchObject({ caller: bystander });
    await security.close();
  });

  it("keeps events while the database cannot be written, and counts those that it drops", async () => {
    const { security } = start();
    const write = database.write.bind(database);
    let fails = true;
    database.write = (work) => (fails ? Promise.reject(new Error("no")) : write(work));
    const use = (count: number, name: string) =>
      security.record({
        action: "use",
        author: { kind: "admin", name },
        type: "",
        uid: "",
        method: `GroupsService/Get${count}`,
        code: 0,
        reason: "",
        address: "192.0.2.1",
      });
    for (let count = 0; count < 300; count++) use(count, count % 2 === 0 ? "a" : "b");
    fails = false;
    await security.close();
    expect(await records()).toHaveLength(300);
  });
});
