import { afterAll, beforeAll, expect, it } from "vitest";
import { loginLimits } from "../limits/login-limits.ts";
import type { Writer } from "../store/database.ts";
import { describeOnEachBackend, type TestDatabase } from "../tests/describe-on-each-backend.testing.ts";
import { findCode, hashOf, insertCode } from "./login-codes.ts";

describeOnEachBackend("the codes of logins", (open) => {
  let one: TestDatabase;
  beforeAll(async () => {
    one = await open();
  });
  afterAll(() => one.remove());

  const now = 1_000;
  const expires = 2_000;
  /** Stores codes without counting them. */
  const fill = async (tx: Writer, address: string, count: number) => {
    const common = { user_code_hash: null, address, expires, state: "pending", next_poll: 0, content: "{}" };
    const rows = Array.from({ length: count }, (_, index) => ({ ...common, hash: `${address} ${index}` }));
    for (let start = 0; start < count; start += 1_000)
      await tx.query((db) => db.insertInto("login_codes").values(rows.slice(start, start + 1_000)));
  };
  const insert = (address: string, time = now) =>
    one.database.write((tx) =>
      insertCode(tx, { hash: hashOf(address), address, expires: time + 1_000, state: "pending", content: {} }, time),
    );

  it("are bounded, leave room for other addresses, and are deleted when they have expired", async () => {
    const most = Math.ceil((loginLimits.pendingCodes.value * 2) / 3);
    await one.database.write((tx) => fill(tx, "192.0.2.1", most));
    await expect(insert("192.0.2.1")).rejects.toThrow("too many logins are not complete");
    await insert("192.0.2.2");
    await insert("192.0.2.1", expires);
    expect(await one.database.read((tx) => findCode(tx, "192.0.2.1 0"))).toBeUndefined();
    const found = await one.database.read((tx) => findCode(tx, hashOf("192.0.2.1")));
    expect(found).toMatchObject({ state: "pending", expires: 3_000 });
  });
});
