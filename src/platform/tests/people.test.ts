import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAuditLog } from "#src/platform/audit/read-records.ts";
import { IdentitiesService } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { LoginWorld, subjectOf } from "./login-world.testing.ts";
import type { RunningPlatform } from "./running-platform.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
});
afterAll(() => world.stop());

const path = "/iam/v2beta1/identities";
const kate = { name: "Kate Miller", email: "Kate@corp.test", email_verified: true };
const shown = { name: kate.name, email: kate.email };

/** Logs a person in, about whom the provider says this. @returns the uid of the identity */
async function logIn(group: string, account: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
  world.issuer.people.set(account, claims);
  return subjectOf((await world.tokens({ group }, account))["access_token"]);
}

describe("the person of an identity", () => {
  it("is what the provider vouched for at the last login", async () => {
    const { group } = await world.group();
    const uid = await logIn(group, "kate", kate);
    const first = await platform.admin.ok("GET", `${path}/${uid}`);
    expect(first["person"]).toEqual(shown);
    expect(await world.identitiesIn(group)).toMatchObject([{ uid, person: shown }]);

    await logIn(group, "kate", { name: "Kate\u202e Smith", email: "kate@corp.test", email_verified: false });
    const second = await platform.admin.ok("GET", `${path}/${uid}`);
    expect(second["person"]).toEqual({ name: "Kate Smith", email: "" });
    expect([second.name, second.updateTime]).toEqual([first.name, first.updateTime]);

    await logIn(group, "kate", { email: undefined });
    expect(await platform.admin.ok("GET", `${path}/${uid}`)).not.toHaveProperty("person");
  });

  it("is shown on the page that asks, as text", async () => {
    const { group } = await world.group();
    world.issuer.people.set("markup", { ...kate, name: `Kate & "Co" \u202e</dd>` });
    expect((await world.logIn(world.browser(), world.authorizeUrl({ group }), "markup")).text).not.toContain("&#38;");
    world.issuer.people.set("quotes", { ...kate, name: `Kate & "Co"` });
    expect((await world.logIn(world.browser(), world.authorizeUrl({ group }), "quotes")).text).toContain(
      "Kate &#38; &#34;Co&#34;, <strong>Kate@corp.test</strong>",
    );
  });

  it("is read by those who may read the identity, and not through role bindings", async () => {
    const { group } = await world.group();
    const uid = await logIn(group, "kate", kate);
    const elsewhere = await platform.callerWith("owner", await platform.admin.group(platform.root));
    expect((await elsewhere.get(`${path}/${uid}`)).status).toBe(404);
    expect((await elsewhere.ok("GET", `${path}?person=kate@corp.test`)).identities).toEqual([]);
    const viewer = await platform.callerWith("viewer", group);
    expect((await viewer.ok("GET", `${path}/${uid}`))["person"]).toEqual(shown);
    const bindings = await platform.admin.get(`/iam/v2beta1/roleBindings?identity=${uid}`);
    const v1 = await platform.admin.get(`/iam/v1/identities?id=${uid}`);
    for (const { text } of [bindings, v1]) {
      expect(text).toContain(uid);
      expect(text.toLowerCase()).not.toMatch(/corp\.test|miller|"person"/);
    }
  });

  it("cannot be written", async () => {
    const { group } = await world.group();
    const uid = await logIn(group, "kate", kate);
    const forged = { name: "Boss", email: "boss@corp.test" };
    const claimMatch = { issuer: "https://issuer.example.com", subject: "b" };
    const created = await platform.admin.ok("POST", `${path}/${group}`, { name: "b", claimMatch, person: forged });
    expect(created).not.toHaveProperty("person");
    const update = (body: object, mask = "") => platform.admin.patch(`${path}/${uid}${mask}`, body);
    expect((await update({ description: "d", person: forged })).body["person"]).toEqual(shown);
    const { claimMatch: own } = await platform.admin.ok("GET", `${path}/${uid}`);
    const whole = { name: "c", description: "e", claimMatch: own, person: forged };
    expect((await update(whole, "?update_mask=*")).body).toMatchObject({ name: "c", person: shown });
    for (const field of ["person", "person.name"])
      expect((await update({ person: forged }, `?update_mask=${field}`)).body).toMatchObject({ code: 3 });
    expect((await platform.admin.ok("GET", `${path}/${uid}`))["person"]).toEqual(shown);
  });

  it("cannot be written over gRPC, where messages contain it", async () => {
    const { group } = await world.group();
    const client = createClient(IdentitiesService, createGrpcTransport({ baseUrl: platform.url }));
    const uid = await logIn(group, "kate", kate);
    const headers = { authorization: `Bearer ${platform.admin.token}` };
    const { relationship } = await client.getIdentity({ uid }, { headers });
    const identity = { name: "c", relationship, person: { name: "Boss", email: "boss@corp.test" } };
    const created = await client.createIdentity({ parent: group, identity }, { headers });
    expect(created.person).toBeUndefined();
    const updateMask = { paths: ["*"] };
    const updated = await client.updateIdentity({ identity: { ...identity, uid, name: "d" }, updateMask }, { headers });
    expect(updated).toMatchObject({ name: "d", person: shown });
  });

  it("ends when the identity is assumed in another way, or deleted", async () => {
    const { group } = await world.group();
    const uid = await logIn(group, "kate", kate);
    const { claimMatch } = await platform.admin.ok("GET", `${path}/${uid}`);
    const other = { claimMatch: { ...(claimMatch as object), subject: "another" } };
    expect(await platform.admin.ok("PATCH", `${path}/${uid}`, other)).not.toHaveProperty("person");
    const again = await logIn(group, "kate", kate);
    expect(again).not.toBe(uid);
    await platform.admin.ok("DELETE", `${path}/${again}`);
    expect((await platform.admin.ok("GET", `${path}?person=kate@corp.test&uidp.children_of=${group}`)).totalCount).toBe(
      "0",
    );
  });

  it("is in no record and no line of the log", async () => {
    const { group } = await world.group();
    const account = "opaque";
    const claims = { name: "Undine Xylander", email: "undine@corp.test", email_verified: true };
    const uid = await logIn(group, account, claims);
    await logIn(group, account, { ...claims, name: "Undine Ypsilon" });
    await platform.admin.ok("PATCH", `${path}/${uid}`, { description: "changed" });
    await platform.admin.ok("GET", `${path}?person=undine@corp.test`);
    expect((await platform.admin.get(`${path}?person=undine&uidp.children_of=x`)).status).toBe(400);
    expect((await platform.as(undefined).get(`${path}?person=undine`)).status).toBe(401);
    const invite = await world.invite(group, "editor", { email: "another@corp.test" });
    await world.logIn(world.browser(), world.authorizeUrl({ group, invite }), account);
    await platform.admin.ok("DELETE", `${path}/${uid}`);
    const database = await platform.openDatabase();
    const records = [];
    for await (const record of readAuditLog((work) => database.read(work), {})) records.push(record);
    await database.close();
    const about = records.filter((record) => JSON.stringify(record).includes(uid)).map(({ action }) => action);
    for (const action of ["create", "login", "update", "delete"]) expect(about).toContain(action);
    for (const text of [JSON.stringify(records), JSON.stringify(world.logged)])
      expect(text).not.toMatch(/undine|xylander|ypsilon/i);
  });
});

describe("the filter by person", () => {
  it("finds an e-mail address whatever the case of A to Z, and the beginning of a name", async () => {
    const { group } = await world.group();
    const uid = await logIn(group, "kate", kate);
    const other = await logIn(group, "kelvin", {
      name: "Émile Katé",
      email: "\u212aate@corp.test",
      email_verified: true,
    });
    const found = async (person: string) => {
      const query = new URLSearchParams({ person, "uidp.children_of": group });
      const { identities, totalCount } = await platform.admin.ok("GET", `${path}?${query.toString()}`);
      expect(totalCount).toBe(String(identities.length));
      return identities.map((one) => one.uid);
    };
    for (const text of ["kate@corp.test", "KATE@CORP.TEST", "Kate Miller", "kate m", "K"])
      expect(await found(text)).toEqual([uid]);
    for (const text of ["\u212aate@corp.test", "Émile", "E\u0301mile k"]) expect(await found(text)).toEqual([other]);
    for (const text of ["kate@corp.tes", "ate@corp.test", "Miller", "kate miller jr", "%", "_ate", "' or 1=1 --", "e"])
      expect(await found(text)).toEqual([]);
    expect((await found("")).length).toBe(2);
  });

  it("has at most as many characters as an e-mail address", async () => {
    expect((await platform.admin.get(`${path}?person=${"k".repeat(255)}`)).body).toMatchObject({
      code: 3,
      message: expect.stringContaining("person"),
    });
  });
});
