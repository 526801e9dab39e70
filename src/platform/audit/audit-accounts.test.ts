import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newRootUid, newUidIn } from "../contract/uid.ts";
import { ApiError } from "../errors/api-error.ts";
import { CountingWriter } from "../store/counting-reader.testing.ts";
import type { Database, Writer } from "../store/database.ts";
import { newSqliteDatabase } from "../tests/new-sqlite-database.testing.ts";
import { AuditAccounts } from "./audit-accounts.ts";
import type { AuditCharges } from "./audit-charges.ts";
import { record } from "./audit-log.ts";
import { AuthoredWriter } from "./authored-writer.ts";

/** A part of it is 10,000 bytes, and a record takes about 600. */
const quota = { resources: 1, roleBindingsPerIdentity: 1, auditBytes: 1_280_000 };
const now = Date.UTC(2026, 0, 1, 12);
const root = newRootUid();
const author = { kind: "identity", uid: `${root}/0000000000000001`, onBehalfOf: undefined } as const;

describe("the accounts of root groups in the audit log", () => {
  let folder: string;
  let database: Database;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "muster-accounts-"));
    database = await newSqliteDatabase(join(folder, "data"));
  });
  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  let statements = 0;
  const recordOne = async (tx: Writer, charges: AuditCharges) => {
    const counting = new CountingWriter(tx);
    const fields = { name: { new: "x".repeat(100) } };
    const change = { action: "create", type: "group", uid: newUidIn(root), fields } as const;
    await record(new AuthoredWriter(counting, author, now, { quota, charges }), change);
    statements = counting.statements;
  };
  const recordIn = (accounts: AuditAccounts, { fails = false } = {}) =>
    accounts.settled((begin) =>
      database.write(async (tx) => {
        await recordOne(tx, begin());
        if (fails) throw new Error("the write fails");
      }),
    );
  const read = async () => {
    const [share] = await database.read((tx) => tx.query((db) => db.selectFrom("daily_shares").select("used")));
    const records = await database.read((tx) => tx.query((db) => db.selectFrom("audit_log").select("form")));
    return { reserved: share?.used ?? 0, records: records.length };
  };
  const useUp = async (...replicas: readonly AuditAccounts[]) => {
    for (;;)
      try {
        for (const accounts of replicas) await recordIn(accounts);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        return (await read()).records;
      }
  };

  it("reserve a part of the share with the first of several records", async () => {
    const accounts = new AuditAccounts(quota);
    const each: number[] = [];
    for (let n = 0; n < 6; n++) {
      await recordIn(accounts);
      each.push(statements);
    }
    expect(each).toEqual([2, 1, 1, 1, 1, 1]);
    expect((await read()).reserved).toBe(10_000);
  });

  it("do not spend what a write reserved that failed, and give back what it spent", async () => {
    const accounts = new AuditAccounts(quota);
    await expect(recordIn(accounts, { fails: true })).rejects.toThrow("the write fails");
    expect((await read()).reserved).toBe(0);
    await recordIn(accounts);
    expect([statements, (await read()).reserved]).toEqual([2, 10_000]);
    for (let n = 0; n < 100; n++) await expect(recordIn(accounts, { fails: true })).rejects.toThrow("the write fails");
    await recordIn(accounts);
    expect([statements, (await read()).reserved]).toEqual([1, 10_000]);
  });

  it("let two writes of one commit reserve a part each, and spend both", async () => {
    const accounts = new AuditAccounts(quota);
    await accounts.settled((first) =>
      accounts.settled((second) =>
        database.write(async (tx) => {
          await recordOne(tx, first());
          await recordOne(tx, second());
        }),
      ),
    );
    expect((await read()).reserved).toBe(20_000);
    while ((await read()).reserved === 20_000) await recordIn(accounts);
    expect((await read()).records).toBeGreaterThan(25);
  });

  it("never exceed the limit, and use nearly all of it, with one replica or three", async () => {
    const small = { ...quota, auditBytes: 64_000 };
    const accountsOf = () => new AuditAccounts(small);
    const once = await useUp(accountsOf());
    const { reserved } = await read();
    const limit = (small.auditBytes * 3) / 2;
    expect(reserved).toBeGreaterThanOrEqual(limit);
    expect(reserved).toBeLessThan(limit + 1_000);
    expect(await useUp(accountsOf())).toBe(once);
    await database.write((tx) => tx.query((db) => db.deleteFrom("daily_shares")));
    const more = (await useUp(accountsOf(), accountsOf(), accountsOf())) - once;
    expect(more).toBeGreaterThan(once * 0.95);
    expect(more).toBeLessThan(once * 1.05);
  });
});
