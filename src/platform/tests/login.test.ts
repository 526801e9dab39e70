import { decodeJwt } from "jose";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAuditLog } from "#src/platform/audit/read-records.ts";
import { LoginWorld, program } from "./login-world.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
const logged: Record<string, unknown>[] = [];

beforeAll(async () => {
  const write = (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>);
  world = await LoginWorld.start(pino({ level: "info" }, { write }));
  ({ platform } = world);
});
afterAll(() => world.stop());

const identitiesIn = async (group: string) =>
  (await platform.admin.ok("GET", `/iam/v2beta1/identities?uidp.children_of=${group}`)).identities;
const subjectOf = (token = "") => decodeJwt(token).sub ?? "";
const rolesOf = async (identity: string) => {
  const { roleBindings } = await platform.admin.ok("GET", `/iam/v2beta1/roleBindings?identity=${identity}`);
  return roleBindings
    .map(({ role, group }) => `${(role as { name: string }).name} ${(group as { uid: string }).uid}`)
    .toSorted();
};

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
    expect(await identitiesIn(group)).toEqual([]);

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
    expect(await identitiesIn(group)).toMatchObject([
      {
        uid: sub,
        name: expect.stringMatching(/^login-[0-9a-f]{32}$/),
        claimMatch: { issuer: world.issuer.url, subject: "ada", audience: "muster" },
      },
    ]);
    expect(await rolesOf(sub)).toEqual([`viewer ${group}`]);

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
    expect(await rolesOf(sub)).toEqual([]);
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
      const sub = subjectOf((await world.redeem(code)).body["access_token"] as string);
      expect(sub.slice(0, -17)).toBe([below, group][index]);
    }
    expect(subjectOf((await world.tokens({ identity_provider: provider }))["access_token"])).toContain(`${group}/`);
  });

  it("issues tokens for the requested audiences alone", async () => {
    const { group } = await world.group();
    const end = await world.browser().open(world.authorizeUrl({ group, audience: "https://elsewhere.example.com" }));
    expect(new URL(end.url).searchParams.get("error")).toBe("invalid_target");
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
    expect(await identitiesIn(group)).toEqual([]);
    expect(logged).toContainEqual(
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
    expect(await identitiesIn(group)).toEqual([]);
  });
});

describe("the tokens of a login", () => {
  it("are renewed by a refresh token that is used once; reuse ends the family", async () => {
    const { group } = await world.group();
    const { refresh_token: first, ...login } = await world.tokens({ group });
    platform.advance(60_000);
    const { status, body } = await world.refresh(first);
    const lifetimes = [login, body].map((response) => Number(response["refresh_token_expires_in"]));
    expect([status, body["token_type"]]).toEqual([200, "Bearer"]);
    // However often it is renewed, a login ends at the same time.
    expect(lifetimes.map((seconds) => Math.round(seconds / 60))).toEqual([24 * 60, 24 * 60 - 1]);
    expect((await world.refresh(first)).body["error"]).toBe("invalid_grant");
    expect((await world.refresh(body["refresh_token"] as string)).body["error"]).toBe("invalid_grant");
  });

  it("end with a logout; both are lines of the log", async () => {
    const { group } = await world.group();
    const { refresh_token: token = "", access_token: accessToken } = await world.tokens({ group });
    for (const again of [token, token, "unknown"])
      expect((await world.post("/revoke", { token: again })).status).toBe(200);
    expect((await world.refresh(token)).body["error"]).toBe("invalid_grant");
    const resource = subjectOf(accessToken);
    const lines = logged.filter((line) => line["resource"] === resource && line["cause"] === undefined);
    expect(lines.map(({ msg, operation, caller, address }) => [msg, operation, caller, address])).toEqual([
      ["person logged in", "Login/Consent", resource, "127.0.0.1"],
      ["person logged out", "Login/Revoke", resource, "127.0.0.1"],
    ]);
  });

  it("end after the lifetime of a login, and with the tokens of the identity", async () => {
    const { group } = await world.group();
    const [one, other] = [await world.tokens({ group }), await world.tokens({ group })];
    await platform.admin.ok("POST", `/iam/v2beta1/identities/${subjectOf(one["access_token"])}:revokeTokens`);
    expect((await platform.as(one["access_token"]).get(`/iam/v2beta1/groups/${group}`)).status).toBe(401);
    expect((await world.refresh(other["refresh_token"])).body["error"]).toBe("invalid_grant");
    const { refresh_token: token } = await world.tokens({ group });
    platform.advance(24 * 3_600_000);
    expect((await world.refresh(token)).body["error"]).toBe("invalid_grant");
  });
});

it("goes on at every replica", async () => {
  const { group } = await world.group();
  const trustedIssuers = [world.issuer.trusted];
  const settings = { baseUrl: platform.url, authUrl: platform.url, trustedIssuers };
  const replica = await RunningPlatform.start(settings, { replicaOf: platform });
  replica.advance(platform.now - replica.now);
  const browser = world.browser();
  const page = await world.logIn(browser, world.authorizeUrl({ group }));
  const cookie = `muster-login=${browser.cookiesOf(platform.url).get("muster-login")}`;
  const fields = { form_token: /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? "", decision: "approve" };
  const end = await world.browser().post(`${replica.url}/login/consent`, fields, { cookie });
  expect((await world.redeem(new URL(end.url).searchParams.get("code"))).status).toBe(200);
  await replica.stop();
});

describe("a login on a device", () => {
  const start = async (group: string) => (await world.post("/device_authorization", { group })).body;
  const typed = async (code: unknown) => {
    const browser = world.browser();
    const page = await browser.submit(await browser.open(`${platform.url}/device`), { user_code: String(code) });
    const href = /href="([^"]*)"/.exec(page.text)?.[1];
    return { browser, page, href: href === undefined ? "" : new URL(href, platform.url).href };
  };

  it("waits until the person has typed the code, logged in and agreed", async () => {
    const { group } = await world.group();
    const device = await start(group);
    expect(device).toMatchObject({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${platform.url}/device`,
      expires_in: 600,
      interval: 5,
    });
    expect(device).not.toHaveProperty("verification_uri_complete");
    expect((await world.poll(device["device_code"])).body["error"]).toBe("authorization_pending");
    platform.advance(3_000);
    expect((await world.poll(device["device_code"])).body["error"]).toBe("slow_down");
    // A poll that is too early changes nothing.
    platform.advance(2_000);
    expect((await world.poll(device["device_code"])).body["error"]).toBe("authorization_pending");

    const { browser, page, href } = await typed(String(device["user_code"]).toLowerCase().replace("-", " "));
    expect(page.text).toContain("127.0.0.1");
    const consent = await world.logIn(browser, href);
    for (const text of ["Another device", "127.0.0.1", "viewer", "ada@example.com"])
      expect(consent.text).toContain(text);
    platform.advance(5_000);
    expect((await world.poll(device["device_code"])).body["error"]).toBe("authorization_pending");
    expect((await browser.submit(consent, { decision: "approve" })).text).toContain("You are logged in");
    platform.advance(5_000);
    const { status, body } = await world.poll(device["device_code"]);
    expect([status, subjectOf(body["access_token"] as string).slice(0, -17)]).toEqual([200, group]);
    expect((await world.poll(device["device_code"])).body["error"]).toBe("invalid_grant");
  });

  it("ends when the person cancels, or takes too long", async () => {
    const { group } = await world.group();
    const [refused, late] = [await start(group), await start(group)];
    const { browser, href } = await typed(refused["user_code"]);
    const page = await browser.submit(await world.logIn(browser, href), { decision: "deny" });
    expect(page.text).toContain("cancelled");
    expect((await world.poll(refused["device_code"])).body["error"]).toBe("access_denied");
    platform.advance(600_000);
    expect((await world.poll(late["device_code"])).body["error"]).toBe("expired_token");
    expect((await typed(late["user_code"])).page.text).toContain("no such code");
  });

  it("needs a provider", async () => {
    const group = await platform.admin.group(await platform.admin.group(platform.root));
    expect((await world.post("/device_authorization", { group })).body["error"]).toBe("invalid_request");
  });
});

describe("an invite", () => {
  it("adds its role in its group, once", async () => {
    const { group } = await world.group();
    const team = await platform.admin.group(group);
    const invite = await world.invite(team, "editor", { singleUse: true, email: "Ada@example.com" });
    const page = await world.logIn(world.browser(), world.authorizeUrl({ group, invite }));
    expect(page.text).toContain("The invite adds");
    const sub = subjectOf((await world.tokens({ group, invite }))["access_token"]);
    expect(await rolesOf(sub)).toEqual([`editor ${team}`, `viewer ${group}`]);
    expect(
      (await platform.admin.ok("GET", `/iam/v2beta1/groupInvites?uidp.children_of=${team}`))["groupInvites"],
    ).toEqual([]);
    const another = await world.logIn(world.browser(), world.authorizeUrl({ group, invite }), "ben");
    expect(new URL(another.url).searchParams.get("error")).toBe("access_denied");
  });

  it("for a single use lets whoever has used it log in again, because the response may have been lost", async () => {
    const { group } = await world.group();
    const invite = await world.invite(group, "editor", { singleUse: true });
    const browsers = [world.browser(), world.browser()];
    const pages = await Promise.all(browsers.map((one) => world.logIn(one, world.authorizeUrl({ group, invite }))));
    const subjects: string[] = [];
    for (const [n, page] of pages.entries()) {
      const end = await browsers[n]?.submit(page, { decision: "approve" });
      const { body } = await world.redeem(new URL(end?.url ?? "").searchParams.get("code"));
      subjects.push(subjectOf(body["access_token"] as string));
    }
    const [sub = "", again] = subjects;
    expect(again).toBe(sub);
    expect(await rolesOf(sub)).toEqual([`editor ${group}`, `viewer ${group}`]);
    // It grants nothing a second time.
    const { roleBindings } = await platform.admin.ok("GET", `/iam/v2beta1/roleBindings?identity=${sub}`);
    for (const { uid } of roleBindings) await platform.admin.ok("DELETE", `/iam/v2beta1/roleBindings/${uid}`);
    expect(subjectOf((await world.tokens({ group, invite }))["access_token"])).toBe(sub);
    expect(await rolesOf(sub)).toEqual([]);
    platform.advance(3_600_000);
    const late = await world.logIn(world.browser(), world.authorizeUrl({ group, invite }));
    expect(new URL(late.url).searchParams.get("error")).toBe("access_denied");
  });

  it("is used once by two people at the same time", async () => {
    const { group } = await world.group();
    const invite = await world.invite(group, "editor", { singleUse: true });
    const people = await Promise.all(
      ["ada", "ben"].map(async (account) => {
        const browser = world.browser();
        return { browser, page: await world.logIn(browser, world.authorizeUrl({ group, invite }), account) };
      }),
    );
    const ends = await Promise.all(people.map(({ browser, page }) => browser.submit(page, { decision: "approve" })));
    const errors = ends.map(({ url }) => new URL(url).searchParams.get("error"));
    expect(errors.filter((error) => error !== null)).toEqual(["access_denied"]);
    expect(await identitiesIn(group)).toHaveLength(1);
  });

  it("is needed for a first login where anybody can have an account, and for no other", async () => {
    const { group } = await world.group({ issuer: world.openIssuer });
    const refused = await world.logIn(world.browser(), world.authorizeUrl({ group }));
    expect(new URL(refused.url).searchParams.get("error_description")).toContain("needs an invite");
    expect(await identitiesIn(group)).toEqual([]);
    const invite = await world.invite(group, "editor");
    const sub = subjectOf((await world.tokens({ group, invite }))["access_token"]);
    expect(subjectOf((await world.tokens({ group }))["access_token"])).toBe(sub);
  });
});

describe("clients of the family", () => {
  const oauthUrl = (parameters: Readonly<Record<string, string>>) =>
    `${platform.url}/oauth?${new URLSearchParams({
      exit: "redirect",
      redirect: "http://localhost:51234/callback?token=true&error=true",
      ...parameters,
    }).toString()}`;

  it("receive the token in a redirect, after the person has agreed", async () => {
    const { group, provider } = await world.group();
    const end = await world.agree(world.browser(), oauthUrl({ idp_id: provider, create_refresh_token: "true" }));
    expect([...end.keys()].toSorted()).toEqual(["refresh_token", "token"]);
    const token = end.get("token") ?? "";
    expect((await platform.as(token).get(`/iam/v2beta1/groups/${group}`)).status).toBe(200);
    expect((await world.refresh(end.get("refresh_token") ?? "")).status).toBe(200);
    const identity = subjectOf(token);
    const again = await world.agree(
      world.browser(),
      oauthUrl({ identity, scope: group, audience: `${platform.url},` }),
    );
    expect([...again.keys()]).toEqual(["token"]);
    expect(decodeJwt(again.get("token") ?? "")).toMatchObject({ sub: identity, scopes: [group] });
    const invite = await world.invite(group, "editor");
    await world.agree(world.browser(), oauthUrl({ invite }));
    expect(await rolesOf(identity)).toEqual([`editor ${group}`, `viewer ${group}`]);
  });

  it("learn what to name if an invite, which names their group, was used", async () => {
    const { group, provider } = await world.group();
    const invite = await world.invite(group, "editor", { singleUse: true });
    await world.agree(world.browser(), oauthUrl({ invite }));
    const refused = await world.logIn(world.browser(), oauthUrl({ invite }));
    expect(new URL(refused.url).searchParams.get("error")).toContain("log in with idp_id");
    expect([...(await world.agree(world.browser(), oauthUrl({ invite, idp_id: provider }))).keys()]).toEqual(["token"]);
  });

  it("receive errors", async () => {
    const { provider } = await world.group();
    const { identity } = { identity: subjectOf((await world.tokens({ identity_provider: provider }))["access_token"]) };
    const browser = world.browser();
    for (const [parameters, account] of [
      [{ identity }, "ben"],
      [{}, "ada"],
      [{ idp_id: provider, exit: "page" }, "ada"],
      [{ idp_id: provider, invite: "wrong" }, "ada"],
    ] as const) {
      const end = new URL((await world.logIn(browser, oauthUrl(parameters), account)).url).searchParams;
      expect(end.has("error"), JSON.stringify(parameters)).toBe(true);
      expect(end.get("status_code")).toMatch(/^40[03]$/);
      expect(end.has("token")).toBe(false);
    }
  });
});

it("is described in the discovery document", async () => {
  const { body } = await platform.as(undefined).get("/.well-known/openid-configuration");
  expect(body).toMatchObject({
    authorization_endpoint: `${platform.url}/authorize`,
    token_endpoint: `${platform.url}/token`,
    device_authorization_endpoint: `${platform.url}/device_authorization`,
    revocation_endpoint: `${platform.url}/revoke`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  });
});

it("writes no code, token or secret to the log", async () => {
  const { group } = await world.group();
  const browser = world.browser();
  const code = (await world.agree(browser, world.authorizeUrl({ group }))).get("code") ?? "";
  await world.redeem(code, { code_verifier: "wrong" });
  await world.redeem(code, { redirect_uri: program });
  const text = JSON.stringify(logged);
  expect(text).toContain("Login/Token");
  for (const secret of [code, "a secret of a client", world.verifier]) expect(text).not.toContain(secret);
});
