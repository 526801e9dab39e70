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
  /** Stores codes of devices without counting them. @param addressOf the address of a code, by its index */
  const fill = async (tx: Writer, count: number, addressOf: (index: number) => string) => {
    const common = { expires, state: "pending", next_poll: 0, content: "{}" };
    const rows = Array.from({ length: count }, (_, index) => {
      const address = addressOf(index);
      return { ...common, hash: `${address} ${index}`, user_code_hash: `${address} ${index}`, address };
    });
    for (let start = 0; start < count; start += 1_000)
      await tx.query((db) => db.insertInto("login_codes").values(rows.slice(start, start + 1_000)));
  };
  const insert = (address: string, { time = now, isDevice = true } = {}) => {
    const hash = hashOf(`${address} ${isDevice}`);
    const common = { hash, address, expires: time + 1_000, content: {} };
    const code = isDevice
      ? ({ ...common, userCodeHash: hash, state: "pending" } as const)
      : ({ ...common, state: "approved" } as const);
    return one.database.write((tx) => insertCode(tx, code, time));
  };

  it("are bounded, leave room for other addresses, and are deleted when they have expired", async () => {
    const most = Math.ceil((loginLimits.deviceCodes.value * 2) / 3);
    await one.database.write((tx) => fill(tx, most, () => "192.0.2.1"));
    await expect(insert("192.0.2.1")).rejects.toThrow("too many logins are not complete");
    await insert("192.0.2.2");
    await insert("192.0.2.1", { time: expires });
    expect(await one.database.read((tx) => findCode(tx, "192.0.2.1 0"))).toBeUndefined();
    const found = await one.database.read((tx) => findCode(tx, hashOf("192.0.2.1 true")));
    expect(found).toMatchObject({ state: "pending", expires: 3_000 });
  });

  it("of devices, which strangers can request, leave room for those of people who have logged in", async () => {
    const later = { time: 10_000 };
    await one.database.write((tx) => fill(tx, loginLimits.deviceCodes.value, (index) => `2001:db8:${index}::/64`));
    await expect(insert("192.0.2.3")).rejects.toThrow("too many logins are not complete");
    await insert("192.0.2.3", { isDevice: false });
    await insert("192.0.2.3", later);
  });
});
