import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notDownscoped } from "../authorization/caller.ts";
import type { Database, Writer } from "../store/database.ts";
import type { ApiTokenContent } from "../tokens/api-token.ts";
import { familyOf, startFamily } from "../tokens/refresh-families.ts";
import { RunningPlatform, type TestResponse } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let identity: string;
beforeAll(async () => {
  platform = await RunningPlatform.start({}, { wrapDatabase: countingWrites });
  identity = await platform.makeIdentity(platform.root);
});
afterAll(() => platform.stop());

/** The writes for callers. Those of the platform itself have no shares. */
let writes = 0;
function countingWrites(database: Database): Database {
  return {
    read: (work, shares) => database.read(work, shares),
    write: (work, shares) => {
      if (shares !== undefined) writes++;
      return database.write(work, shares);
    },
    close: () => database.close(),
  };
}

type TokenPair = { refreshToken: { token: string } };

async function firstToken(parameters = ""): Promise<string> {
  const { body } = await platform.exchange(await platform.subjectToken(identity), identity, parameters);
  return body["refreshToken"] as string;
}

const refreshOf = (of: RunningPlatform, token: string, body: object = {}): Promise<TestResponse> =>
  of.as(token).post("/sts/exchange_refresh_token", body);
const refresh = (token: string, body: object = {}) => refreshOf(platform, token, body);

describe("refresh tokens", () => {
  it("end with their family after 24 h, however often they are used", async () => {
    const separate = await RunningPlatform.start();
    const uid = await separate.makeIdentity(separate.root);
    const { body } = await separate.exchange(await separate.subjectToken(uid), uid);
    separate.advance(23 * 3_600_000);
    const { refreshToken } = (await refreshOf(separate, String(body["refreshToken"]))).body as unknown as TokenPair;
    separate.advance(3_700_000);
    expect((await refreshOf(separate, refreshToken.token)).body).toMatchObject({ code: 16 });
    await separate.stop();
  });

  it("leave nothing when their identity is deleted", async () => {
    const uid = await platform.makeIdentity(platform.root);
    await platform.exchange(await platform.subjectToken(uid), uid);
    const database = await platform.openDatabase();
    const families = () =>
      database.read((reader) =>
        reader.query((db) => db.selectFrom("refresh_families").select("id").where("identity_uid", "=", uid)),
      );
    try {
      expect(await families()).toHaveLength(1);
      await platform.admin.ok("DELETE", `/iam/v2beta1/identities/${uid}`);
      expect(await families()).toEqual([]);
    } finally {
      await database.close();
    }
  });

  it("that are unknown cause no write, neither a refresh nor a logout", async () => {
    const known = await firstToken();
    const revoke = (token: string) =>
      fetch(`${platform.url}/revoke`, {
        method: "POST",
        body: new URLSearchParams({ client_id: "muster-cli", token }),
      });
    const unknown = known.replace(familyOf(known) ?? "", "0".repeat(36));
    writes = 0;
    expect((await refresh(unknown)).body).toMatchObject({ code: 16 });
    expect((await revoke(unknown)).status).toBe(200);
    expect(writes).toBe(0);
    expect((await revoke(known)).status).toBe(200);
    expect(writes).toBe(1);
    expect((await refresh(known)).body).toMatchObject({ code: 16 });
  });

  it("are limited for each identity: the oldest ones end", async () => {
    const maximum = 20;
    const separate = await RunningPlatform.start();
    const database = await separate.openDatabase();
    const [uid, other] = [await separate.makeIdentity(separate.root), await separate.makeIdentity(separate.root)];
    const content = (identityUid: string): ApiTokenContent => ({
      identityUid,
      stamp: { value: "", key: undefined },
      audiences: [separate.url],
      downscoping: notDownscoped,
      actor: { iss: "https://issuer.example.com", sub: "caller", aud: "127.0.0.1" },
    });
    const { now } = separate;
    const start = (tx: Writer, of: string, number = 0) =>
      startFamily(tx, content(of), { now, expires: now + 3_600_000 + number, maximum });
    const tokens = await database.write(async (tx) => {
      const ofOther = await start(tx, other);
      const first = await start(tx, uid);
      let last = first;
      // Each of them ends the surplus with a probability of 1 in 64.
      for (let number = 1; number <= 1_500; number++) last = await start(tx, uid, number);
      return [first, last, ofOther];
    });
    const statuses: number[] = [];
    for (const token of tokens) statuses.push((await refreshOf(separate, token)).status);
    expect(statuses).toEqual([401, 200, 200]);
    await database.close();
    await separate.stop();
  });
});
