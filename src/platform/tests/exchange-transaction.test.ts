import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { CountingReader, CountingWriter } from "../store/counting-reader.testing.ts";
import type { Database } from "../store/database.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

/** The statements of reads and writes for callers, and what happens before the next of these writes. */
let statements = { read: 0, write: 0 };
let beforeWrite: (() => Promise<unknown>) | undefined;

function observed(database: Database): Database {
  return {
    read: (work, shares) =>
      database.read((tx) => {
        const counting = new CountingReader(tx);
        return work(counting).finally(() => (statements.read += counting.statements));
      }, shares),
    write: async (work, shares, priority) => {
      if (shares === undefined) return database.write(work, shares, priority);
      const event = beforeWrite;
      beforeWrite = undefined;
      await event?.();
      return database.write(
        (tx) => {
          const counting = new CountingWriter(tx);
          return work(counting).finally(() => (statements.write += counting.statements));
        },
        shares,
        priority,
      );
    },
    close: () => database.close(),
  };
}

let platform: RunningPlatform;
let identity: string;
beforeAll(async () => {
  platform = await RunningPlatform.start({}, { wrapDatabase: observed });
});
afterAll(() => platform.stop());
beforeEach(async () => {
  identity = await platform.makeIdentity(platform.root);
});

it("reads the identity once, and nothing but its security stamp again", async () => {
  const token = await platform.subjectToken(identity);
  // The first one also updates when the identity was last seen. Some delete refresh tokens that have expired, or that are too many.
  await platform.exchange(token, identity);
  const counts: (typeof statements)[] = [];
  for (let time = 0; time < 8; time++) {
    statements = { read: 0, write: 0 };
    expect((await platform.exchange(token, identity)).status).toBe(200);
    counts.push(statements);
  }
  // The stamp, the refresh token and the record.
  expect(counts.toSorted((a, b) => a.write - b.write)[0]).toEqual({ read: 1, write: 3 });
});

const changes: readonly (readonly [string, () => Promise<unknown>, number])[] = [
  ["its identity is deleted", () => platform.admin.delete(`/iam/v2beta1/identities/${identity}`), 7],
  ["its tokens are revoked", () => platform.admin.post(`/iam/v2beta1/identities/${identity}:revokeTokens`, {}), 14],
  [
    "other claims are required",
    () =>
      platform.admin.patch(`/iam/v2beta1/identities/${identity}`, {
        claimMatch: { issuer: "https://issuer.example.com", subject: "another" },
      }),
    14,
  ],
];

it.each(changes)("issues no token if %s in the meantime", async (_, change, code) => {
  const token = await platform.subjectToken(identity);
  beforeWrite = async () => expect(await change()).toMatchObject({ status: 200 });
  expect((await platform.exchange(token, identity)).body).toMatchObject({ code });
  const database = await platform.openDatabase();
  const families = await database.read((tx) =>
    tx.query((db) => db.selectFrom("refresh_families").select("id").where("identity_uid", "=", identity)),
  );
  await database.close();
  expect(families).toEqual([]);
});
