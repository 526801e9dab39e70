import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Checkpointer } from "./checkpointer.ts";

describe("Checkpointer", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster-checkpointer-"));
    path = join(folder, "data");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function written(): DatabaseSync {
    const database = new DatabaseSync(path);
    database.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table t (x)");
    add(database);
    return database;
  }

  const add = (database: DatabaseSync) =>
    database.exec("insert into t select randomblob(100000) from (values (1), (2), (3), (4))");
  const notDue = () => {
    throw new Error("the rest is not due");
  };

  it("copies the log to the file once enough was written, has the rest copied, and begins anew", async () => {
    const database = written();
    const checkpointer = new Checkpointer(path, 10);
    const before = statSync(path).size;
    checkpointer.committed(9, notDue);
    expect(checkpointer.isRunning).toBe(false);
    checkpointer.committed(1, notDue);
    let rests = 0;
    await vi.waitUntil(() => {
      checkpointer.committed(0, () => {
        rests += 1;
      });
      return rests > 0;
    });
    const first = statSync(path).size;
    expect(first).toBeGreaterThan(before + 400_000);

    add(database);
    checkpointer.committed(10, notDue);
    await checkpointer.close();
    expect(statSync(path).size).toBeGreaterThan(first + 400_000);
    expect(checkpointer.isRunning).toBe(false);
    database.close();
  });

  it("keeps a process running that waits for its end, and no other", async () => {
    written().close();
    const code = (end: string) => `
      import { Checkpointer } from ${JSON.stringify(new URL("checkpointer.ts", import.meta.url).href)};
      const checkpointer = new Checkpointer(${JSON.stringify(path)}, 1);
      checkpointer.committed(1, () => undefined);
      ${end}`;
    const run = (end: string) =>
      promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code(end)]).then(({ stdout }) => stdout);
    expect(await run('await checkpointer.close(); console.log("closed")')).toBe("closed\n");
    expect(await run('console.log("open")')).toBe("open\n");
  });

  it("survives a thread that fails, and starts another", async () => {
    writeFileSync(path, "this is no database".repeat(100));
    const checkpointer = new Checkpointer(path, 1);
    checkpointer.committed(1, notDue);
    await checkpointer.close();
    expect(checkpointer.isRunning).toBe(false);

    rmSync(path);
    const database = written();
    const before = statSync(path).size;
    checkpointer.committed(1, notDue);
    await checkpointer.close();
    expect(statSync(path).size).toBeGreaterThan(before + 400_000);
    database.close();
  });
});
