import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAuditLog } from "#src/platform/audit/read-records.ts";
import { LoginWorld, program, subjectOf } from "./login-world.testing.ts";
import type { RunningPlatform } from "./running-platform.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
});
afterAll(() => world.stop());

describe("a login with a browser", () => {
  it("leads from nothing to a call with the default role, and creates the person's identity once", async () => {
    const { group } = await world.group();
    const browser = world.browser();
    const page = await world.logIn(browser, world.authorizeUrl({ group }));
    for (const text of [
      "ada@example.com",
      "viewer",
      "1 hour, renewed for up to 24 hours",
      "51234",
      world.issuer.url,
      "a new one",
    ])
      expect(page.text).toContain(text);
    expect(await world.identitiesIn(group)).toEqual([]);

    const end = new URL((await browser.submit(page, { decision: "approve" })).url).searchParams;
    expect([end.get("state"), end.get("iss")]).toEqual(["of the program", platform.url]);
    const { status, body, headers } = await world.redeem(end.get("code"));
    expect(body).toMatchObject({ token_type: "Bearer", refresh_token: expect.stringMatching(/^muster-refresh-/) });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body["expires_in"]).toBeGreaterThan(3_500);
    const token = body["access_token"] as string;
    const { sub = "", act, aud } = decodeJwt(token);
    expect({ act, aud }).toEqual({ act: { iss: world.issuer.url, sub: "ada", aud: "muster" }, aud: [platform.url] });
    expect((await platform.as(token).ok("GET", `/iam/v2beta1/groups/${group}`)).uid).toBe(group);
    expect((await platform.as(token).patch(`/iam/v2beta1/groups/${group}`, { name: "b" })).status).toBe(403);

    const again = await world.tokens({ group });
    expect(subjectOf(again["access_token"])).toBe(sub);
    expect(await world.identitiesIn(group)).toMatchObject([
      {
        uid: sub,
        name: expect.stringMatching(/^login-[0-9a-f]{32}$/),
        claimMatch: { issuer: world.issuer.url, subject: "ada", audience: "muster" },
      },
    ]);
    expect(await world.rolesOf(sub)).toEqual([`viewer ${group}`]);

    const database = await platform.openDatabase();
    const records = readAuditLog((work) => database.read(work), { actor: sub });
    const actions = [];
    for await (const { action, type, actor, uid, details } of records) {
      // The PATCH above.
      if (action === "refuse") continue;
      expect([actor.kind, uid.startsWith(group), details.address]).toEqual(["identity", true, "127.0.0.1"]);
      actions.push(`${action} ${type}`);
    }
    await database.close();
    expect(actions).toEqual(["create identity", "create role binding", "login identity", "login identity"]);
  });

  it("does not give a role back that was taken away", async () => {
    const { group } = await world.group();
    const sub = subjectOf((await world.tokens({ group }))["access_token"]);
    const { roleBindings } = await platform.admin.ok("GET", `/iam/v2beta1/roleBindings?identity=${sub}`);
    await platform.admin.delete(`/iam/v2beta1/roleBindings/${roleBindings[0]?.uid}`);
    const browser = world.browser();
    expect((await world.logIn(browser, world.authorizeUrl({ group }))).text).toContain("None.");
    await world.tokens({ group });
    expect(await world.rolesOf(sub)).toEqual([]);
  });

  it("offers the providers of the group and of the groups above it", async () => {
    const { group, provider } = await world.group({ name: "of the parent" });
    const below = await platform.admin.group(group);
    await world.provider(below, {
      name: "of the group",
      oidc: { clientId: "public", clientSecret: "", pkceEnabled: true },
    });
    const browser = world.browser();
    const page = await browser.open(world.authorizeUrl({ group: below }));
    const links = [...page.text.matchAll(/href="([^"]*)">([^<]*)</g)].map(([, href = "", text]) => ({ href, text }));
    expect(links.map(({ text }) => text)).toEqual(["Continue with of the group", "Continue with of the parent"]);
    for (const [index, { href }] of links.entries()) {
      const address = new URL(href.replaceAll("&#38;", "&"), platform.url).href;
      const code = (await world.agree(world.browser(), address)).get("code");
      const sub = subjectOf((await world.redeem(code)).body["access_token"]);
      expect(sub.slice(0, -17)).toBe([below, group][index]);
    }
    expect(subjectOf((await world.tokens({ identity_provider: provider }))["access_token"])).toContain(`${group}/`);
  });

  it("is refused when the default role is one that the owners of the group cannot grant", async () => {
    const { uid: role } = await platform.admin.ok("POST", `/iam/v2beta1/roles/${platform.root}`, {
      name: "a",
      capabilities: ["CAP_IAM_GROUPS_LIST"],
    });
    const { group } = await world.group({ role });
    await platform.admin.ok("PATCH", `/iam/v2beta1/roles/${role}`, { capabilities: ["CAP_IAM_GROUPS_LIST", 4_711] });
    const end = await world.logIn(world.browser(), world.authorizeUrl({ group }));
    const parameters = new URL(end.url).searchParams;
    expect([parameters.get("error"), parameters.get("state")]).toEqual(["access_denied", "of the program"]);
    expect(parameters.get("error_description")).toContain("default role");
    expect(await world.identitiesIn(group)).toEqual([]);
    expect(world.logged).toContainEqual(
      expect.objectContaining({
        msg: "call refused",
        operation: "Login/Callback",
        mismatch: "the default role cannot be granted",
        subject: "ada",
      }),
    );
  });

  it("changes nothing if the person does not agree", async () => {
    const { group } = await world.group();
    const browser = world.browser();
    const page = await world.logIn(browser, world.authorizeUrl({ group }));
    const end = new URL((await browser.submit(page, { decision: "deny" })).url);
    expect(end.searchParams.get("error")).toBe("access_denied");
    expect(await world.identitiesIn(group)).toEqual([]);
  });
});

it("does not find an identity that is for another client, or for some of the people only", async () => {
  const { group: own } = await world.group();
  const others = [
    { audience: "another client" },
    { audience: "muster", claims: { email: "ada@example.com" } },
    { audience: "muster", claimPatterns: { email: ".*" } },
    {},
  ];
  for (const [index, claimMatch] of others.entries())
    await platform.admin.ok("POST", `/iam/v2beta1/identities/${own}`, {
      name: String(index),
      claimMatch: { issuer: world.issuer.url, subject: "ada", ...claimMatch },
    });
  const exact = { issuer: world.issuer.url, subject: "ada", audience: "muster" };
  const page = await world.logIn(world.browser(), world.authorizeUrl({ group: own }));
  expect(page.text).toContain("a new one");
  const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/identities/${own}`, {
    name: "exact",
    claimMatch: exact,
  });
  expect(subjectOf((await world.tokens({ group: own }))["access_token"])).toBe(uid);
});

it("gives a second account at the provider an identity of its own, which the page names", async () => {
  const { group: own } = await world.group();
  const first = subjectOf((await world.tokens({ group: own }))["access_token"]);
  await platform.admin.bind(own, first, await platform.admin.role("owner"));
  const page = await world.logIn(world.browser(), world.authorizeUrl({ group: own }), "second");
  for (const text of ["second@example.com", "a new one", "viewer"]) expect(page.text).toContain(text);
  for (const text of [first, "owner"]) expect(page.text).not.toContain(text);
  const other = await world.tokens({ group: own }, "second");
  expect((await platform.as(other["access_token"]).patch(`/iam/v2beta1/groups/${own}`, { name: "b" })).status).toBe(
    403,
  );
});

it("writes no code, token or secret to the log", async () => {
  const { group } = await world.group();
  const browser = world.browser();
  const code = (await world.agree(browser, world.authorizeUrl({ group }))).get("code") ?? "";
  await world.redeem(code, { code_verifier: "wrong" });
  await world.redeem(code, { redirect_uri: program });
  const text = JSON.stringify(world.logged);
  expect(text).toContain("Login/Token");
  for (const secret of [code, "a secret of a client", world.verifier]) expect(text).not.toContain(secret);
});
