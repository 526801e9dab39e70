import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { record } from "../audit/audit-log.ts";
import { readAuditLog } from "../audit/read-records.ts";
import { jsonOf } from "../audit/record-message.ts";
import { settleAll } from "../store/settle-all.ts";
import { type Client, type Json, RunningPlatform } from "./running-platform.testing.ts";

const list = "/audit/v1beta1/records";

let platform: RunningPlatform;
let admin: Client;
let root: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  ({ admin, root } = platform);
});
afterAll(() => platform.stop());

interface Listed extends Json {
  readonly records: readonly Listed[];
  readonly id: string;
  readonly action: string;
  readonly resource: string;
  readonly method: string;
  readonly code: number;
  readonly reason: string;
  readonly actor: { readonly name: string };
}

const listed = async (caller: Client, query = ""): Promise<Listed> =>
  (await caller.ok("GET", `${list}?${query}`)) as Listed;

/** All pages. */
async function all(caller: Client, query = ""): Promise<Listed[]> {
  const records: Listed[] = [];
  for (let token = ""; ; ) {
    const page = await listed(caller, `${query}&page_token=${encodeURIComponent(token)}`);
    records.push(...page.records);
    if (page.nextPageToken === undefined) return records;
    token = page.nextPageToken;
  }
}

/** Waits until the event is in the log. */
const eventually = (caller: Client, query: string, count = 1) =>
  vi.waitUntil(async () => {
    const { records } = await listed(caller, query);
    return records.length >= count ? records : undefined;
  });

describe("the list of audit records", () => {
  it("shows records that are not about a resource to the admin only", async () => {
    const owner = await platform.callerWith("owner", root);
    const forged = "muster-refresh-0123456789abcdef0123456789abcdef0123.0000000000000000000000000000000000000000000";
    expect((await platform.as(forged).post("/sts/exchange_refresh_token")).status).toBe(401);
    const [refused] = await eventually(admin, "actor=anonymous&code=16");
    expect(refused).toMatchObject({ action: "refuse", resource: "", address: "127.0.0.1" });
    expect(refused?.reason).toContain("not a valid refresh token");
    expect(await all(owner, "actor=anonymous&code=16")).toEqual([]);
  });

  it("filters by actor, method, resource, code and time, alone and together", async () => {
    const group = await admin.group(root, "filtered");
    const caller = await platform.callerWith("editor", group);
    platform.advance(300_000);
    const since = new Date(platform.now).toISOString();
    const fresh = await platform.exchange(await platform.subjectToken(caller.identity), caller.identity);
    const again = platform.as(fresh.body.token);
    const { uid: repo } = await again.ok("POST", `/registry/v2beta1/repos/${group}`, { name: "repo" });
    expect((await again.post(`/iam/v2beta1/groups/${group}`, { name: "no" })).status).toBe(403);
    const actor = `actor=${caller.identity}`;
    await eventually(admin, `${actor}&code=7`);
    const brief = (records: readonly Listed[]) =>
      records.map(({ action, method, resource, code }) => [action, method.replace(/^.*\./, ""), resource, code]);
    const exchange = ["exchange", "SecurityTokenService/Exchange", caller.identity, 0];
    const create = ["create", "ReposService/CreateRepo", repo, 0];
    const refuse = ["refuse", "GroupsService/CreateGroup", group, 7];
    expect(brief(await all(admin, actor))).toEqual([exchange, exchange, create, refuse]);
    expect(brief(await all(admin, `${actor}&since=${since}`))).toEqual([exchange, create, refuse]);
    expect(brief(await all(admin, `${actor}&order_by=created_at desc&pageSize=1`))).toEqual([
      refuse,
      create,
      exchange,
      exchange,
    ]);
    expect(brief(await all(admin, `${actor}&code=0&since=${since}`))).toEqual([exchange, create]);
    expect(brief(await all(admin, `method=ReposService/CreateRepo&resource=${group}`))).toEqual([create]);
    expect(brief(await all(admin, `method=muster.platform.iam.v2beta1.GroupsService/CreateGroup&code=7`))).toEqual([
      refuse,
    ]);
    expect(await all(admin, `method=epo&resource=${group}`)).toEqual([]);
    const page = await listed(admin, `${actor}&skip=2&page_size=1`);
    expect(page).toMatchObject({ totalCount: "4", skipped: 2, records: [{ resource: repo }] });
    const [refused] = await all(admin, `${actor}&code=7`);
    expect(refused).toMatchObject({ actor: { issuer: "https://issuer.example.com", subject: "caller" } });
    expect(refused?.reason).toBe(`Permission denied: groups.create is required on group "${group}"`);
  });

  it("examines a bounded number of records for each page of a long log", async () => {
    const group = await admin.group(root, "long");
    const database = await platform.openDatabase();
    const author = { kind: "identity", uid: `${group}/0000000000000000`, onBehalfOf: undefined } as const;
    await database.write(async (writer) => {
      const tx = new AuthoredWriter(writer, author, platform.now);
      const update = (count: number) =>
        record(tx, { action: "update", type: "group", uid: group, fields: { n: { new: count } } });
      for (let count = 0; count < 12_000; count += 1_000)
        await settleAll(Array.from({ length: 1_000 }, (_, index) => update(count + index)));
    });
    await database.close();
    const last = await admin.group(group, "last");
    // No index finds few: the first page has examined 10,000 records without a match.
    const query = `resource=${root}&method=GroupsService/CreateGroup&since=${new Date(platform.now - 60_000).toISOString()}`;
    const first = await listed(admin, `${query}&page_size=200`);
    expect(first.totalCount).toBe("10000");
    expect(first.nextPageToken).toBeDefined();
    expect((await all(admin, `${query}&page_size=200`)).map(({ resource }) => resource)).toContain(last);
    const backwards = await listed(admin, `${query}&order_by=created_at desc&page_size=1`);
    expect(backwards.records.map(({ resource }) => resource)).toEqual([last]);
    expect((await listed(admin, `resource=${last}`)).totalCount).toBe("1");
    const everything = await all(admin, `resource=${group}&page_size=200`);
    expect(everything).toHaveLength(12_002);
    expect((await all(admin, `actor=${author.uid}&page_size=200`)).length).toBe(12_000);
  });
});

describe("audit events", () => {
  it("are recorded of exchanges, refreshes and a reuse, which ends the family", async () => {
    const group = await admin.group(root, "events");
    const identity = await platform.makeIdentity(group);
    const { body } = await platform.exchange(await platform.subjectToken(identity), identity);
    const refresh = () => platform.as(String(body["refreshToken"])).post("/sts/exchange_refresh_token");
    expect([(await refresh()).status, (await refresh()).status]).toEqual([200, 403]);
    const records = await all(admin, `resource=${identity}`);
    expect(records.map(({ action, code }) => [action, code])).toEqual([
      ["create", 0],
      ["exchange", 0],
      ["refresh", 0],
      ["reuse", 7],
    ]);
    expect(records.at(-1)).toMatchObject({
      actor: { name: identity, issuer: "https://issuer.example.com", subject: "caller" },
      address: "127.0.0.1",
      method: "muster.platform.oidc.SecurityTokenService/ExchangeRefreshToken",
    });
  });

  it("are recorded of a refused exchange, with what did not match, for the owners of the identity", async () => {
    const group = await admin.group(root, "refused");
    const owner = await platform.callerWith("owner", group);
    const identity = await platform.makeIdentity(group);
    const { status } = await platform.exchange(await platform.subjectToken(identity, { sub: "somebody" }), identity);
    expect(status).toBe(403);
    const [refused] = await eventually(owner, `resource=${identity}&code=7`);
    expect(refused).toMatchObject({
      action: "refuse",
      actor: { name: "anonymous" },
      details: { mismatch: "the subject does not match", subject: "somebody", issuer: "https://issuer.example.com" },
    });
  });

  it("are recorded when an admin token is used to read, and when the tokens of an identity have ended", async () => {
    const caller = await platform.callerWith("viewer", root);
    await admin.ok("GET", "/iam/v2beta1/identities?page_size=1");
    await eventually(admin, "actor=admin&method=IdentitiesService/ListIdentities");
    await admin.ok("POST", `/iam/v2beta1/identities/${caller.identity}:revokeTokens`);
    expect((await caller.get("/iam/v2beta1/groups")).status).toBe(401);
    const [ended] = await eventually(admin, `actor=${caller.identity}&code=16`);
    expect(ended).toMatchObject({ resource: caller.identity });
    expect(ended?.reason).toContain("its tokens were revoked");
    expect((await all(admin, `resource=${caller.identity}&actor=admin`)).map(({ action }) => action)).toEqual([
      "create",
      "revokeTokens",
    ]);
  });

  it("contain no token and no secret, whatever was called", async () => {
    const secrets = [admin.token ?? ""];
    const identity = await platform.makeIdentity(root);
    const subjectToken = await platform.subjectToken(identity);
    const { body } = await platform.exchange(subjectToken, identity);
    secrets.push(subjectToken, body.token, String(body["refreshToken"]));
    const next = await platform.as(String(body["refreshToken"])).post("/sts/exchange_refresh_token");
    await platform.as(String(body["refreshToken"])).post("/sts/exchange_refresh_token");
    secrets.push((next.body["refreshToken"] as Json).token, (next.body.token as unknown as Json).token);
    for (const secret of secrets) {
      await platform.as(secret).get("/iam/v2beta1/groups");
      await platform.exchange(secret, identity);
      await platform.as(secret).post("/sts/exchange_refresh_token");
      await platform.as(`${secret}x`).get("/iam/v2beta1/groups");
      await platform.exchange(`${secret}x`, identity);
    }
    const oidc = { issuer: "https://login.example.com", clientId: "c", clientSecret: "correct horse battery" };
    await admin.ok("POST", `/iam/v2beta1/identityProviders/${root}`, {
      name: "p",
      defaultRole: await admin.role("viewer"),
      oidc,
    });
    // Events are written in their order.
    await admin.ok("GET", "/vulnerabilities/v2beta1/advisories");
    await eventually(admin, "actor=admin&method=AdvisoriesService/ListAdvisories");
    const database = await platform.openDatabase();
    let text = "";
    for await (const one of readAuditLog((work) => database.read(work), {})) text += JSON.stringify(jsonOf(one));
    await database.close();
    expect(text).toContain("(secret)");
    expect(text).not.toContain("correct horse");
    expect(text).not.toMatch(/muster-(refresh|admin)-/);
    expect(text).not.toMatch(/eyJ[\w-]{20}/);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(30);
      expect(text).not.toContain(secret.slice(-20));
    }
  });
});
