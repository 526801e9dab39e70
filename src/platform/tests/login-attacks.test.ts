import { redirectUriFor } from "#src/platform/login/open-id-providers.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LoginWorld, descriptionOf, errorOf, expectRefusedByPage, program, query } from "./login-world.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";
import type { Visit } from "./test-browser.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
let group: string;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
  ({ group } = await world.group());
});
afterAll(() => world.stop());
afterEach(() => {
  // The wrong codes of a test do not count in the next one.
  platform.advance(600_000);
});

/** The response of the provider to a login in another browser: an address with its code and state. */
async function stolenResponse(account = "mallory"): Promise<Visit> {
  const attacker = world.browser();
  const page = await attacker.open(world.authorizeUrl({ group }));
  attacker.stopAt(`${platform.url}/login/callback/`);
  return attacker.submit(page, { account });
}

describe("a stranger's page", () => {
  it("cannot agree in the person's name", async () => {
    const { group: own } = await world.group();
    const browser = world.browser();
    const page = await world.logIn(browser, world.authorizeUrl({ group: own }));
    const consent = `${platform.url}/login/consent`;
    // Browsers do not send the cookie with the form of another site; and without the page, nobody has its form token.
    expectRefusedByPage(await world.browser().submit(page, { decision: "approve" }));
    expectRefusedByPage(await browser.post(consent, { decision: "approve" }));
    expectRefusedByPage(await browser.post(consent, { decision: "approve", form_token: "a".repeat(43) }));
    expectRefusedByPage(await browser.open(`${consent}?decision=approve`), 405);
    expect(await world.identitiesIn(own)).toEqual([]);
    expect(errorOf(await browser.submit(page, { decision: "approve" }))).toBeNull();
  });

  it("cannot type the code of a device", async () => {
    const { body } = await world.post("/device_authorization", { group });
    const browser = world.browser();
    const fields = { user_code: String(body["user_code"]) };
    expectRefusedByPage(await browser.post(`${platform.url}/device`, fields));
    const page = await browser.open(`${platform.url}/device?${query(fields)}`);
    expect(page.text).not.toContain(fields.user_code);
    expectRefusedByPage(await browser.post(`${platform.url}/device`, fields));
    const { provider } = await world.group();
    expectRefusedByPage(await browser.open(`${platform.url}/device/login?identity_provider=${provider}`));
  });

  it("cannot frame a page, and learns nothing from its address", async () => {
    const browser = world.browser();
    const consent = await world.logIn(browser, world.authorizeUrl({ group }));
    const device = await browser.open(`${platform.url}/device`);
    const error = await browser.open(`${platform.url}/authorize`);
    for (const { headers, text } of [consent, device, error]) {
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'( http:\/\/127\.0\.0\.1:51234)?$/,
      );
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(text).not.toContain("<script");
    }
    expect(device.headers.get("set-cookie")).toMatch(
      /^muster-login=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it("cannot log the person in with its own account", async () => {
    const { url } = await stolenResponse();
    expectRefusedByPage(await world.browser().open(url));
    // Not even while the person logs in.
    const victim = world.browser();
    await victim.open(world.authorizeUrl({ group }));
    expectRefusedByPage(await victim.open(url));
  });

  it("cannot log in as another program, or give two redirects", async () => {
    expectRefusedByPage(await world.browser().open(world.authorizeUrl({ group, client_id: "another" })), 401);
    const twice = `${world.authorizeUrl({ group })}&redirect_uri=${encodeURIComponent(program)}`;
    expectRefusedByPage(await world.browser().open(twice), 400);
  });

  it("cannot choose where a provider sends its codes, by the Host header", async () => {
    const browser = world.browser();
    browser.stopAt(world.issuer.url);
    const { url } = await browser.open(world.authorizeUrl({ group }), { host: "attacker.example.com" });
    expect(new URL(url).searchParams.get("redirect_uri")).toBe(redirectUriFor(platform.url, world.issuer.url));
  });
});

describe("a thief", () => {
  it("cannot use a code without its verifier, and the code ends with the attempt", async () => {
    const code = (await world.agree(world.browser(), world.authorizeUrl({ group }))).get("code");
    for (const fields of [{ code_verifier: "a".repeat(43) }, {}])
      expect((await world.redeem(code, fields)).body).toMatchObject({ error: "invalid_grant" });
    const another = (await world.agree(world.browser(), world.authorizeUrl({ group }))).get("code");
    expect((await world.redeem(another, { redirect_uri: "http://localhost:51234/callback" })).status).toBe(400);
    const late = (await world.agree(world.browser(), world.authorizeUrl({ group }))).get("code");
    platform.advance(60_000);
    expect((await world.redeem(late)).status).toBe(400);
    const revoked = (await world.agree(world.browser(), world.authorizeUrl({ group }))).get("code");
    for (const { uid } of await world.identitiesIn(group))
      await platform.admin.ok("POST", `/iam/v2beta1/identities/${uid}:revokeTokens`);
    expect((await world.redeem(revoked)).body).toMatchObject({ error: "invalid_grant" });
    expect((await world.poll(late)).body).toMatchObject({ error: "invalid_grant" });
    expect((await world.redeem("a".repeat(43))).body).toMatchObject({ error: "invalid_grant" });
  });

  it("cannot replay a step of a login, in this browser or another", async () => {
    const browser = world.browser();
    const page = await browser.open(world.authorizeUrl({ group }));
    const consent = await browser.submit(page, { account: "ada" });
    expect(consent.text).toContain("Log in?");
    for (const again of [browser, world.browser()]) expectRefusedByPage(await again.open(consent.url));
    expect(errorOf(await browser.submit(consent, { decision: "approve" }))).toBeNull();
    for (const again of [browser, world.browser()])
      expectRefusedByPage(await again.submit(consent, { decision: "approve" }));
  });

  it("cannot change or keep the cookie of a login", async () => {
    const browser = world.browser();
    const page = await world.logIn(browser, world.authorizeUrl({ group }));
    const cookie = `muster-login=${browser.cookiesOf(platform.url).get("muster-login")}`;
    const formToken = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
    const send = (value: string) =>
      world
        .browser()
        .post(`${platform.url}/login/consent`, { form_token: formToken, decision: "deny" }, { cookie: value });
    expectRefusedByPage(await send(`${cookie.slice(0, -3)}abc`));
    expectRefusedByPage(await send("muster-login=e30"));
    expect(errorOf(await send(`muster-login=other; ${cookie}`))).toBe("access_denied");
    platform.advance(600_000);
    expectRefusedByPage(await send(cookie));
  });
});

describe("somebody else's invite", () => {
  const message = "the invite is not valid for this login: ask for a new one";
  const tried = async (invite: string, account: string, choice: Readonly<Record<string, string>> = { group }) => {
    const before = await world.identitiesIn(group);
    const end = await world.logIn(world.browser(), world.authorizeUrl({ ...choice, invite }), account);
    expect(await world.identitiesIn(group)).toEqual(before);
    return [errorOf(end), descriptionOf(end)];
  };

  it("is refused with one message, whatever is wrong with it", async () => {
    const refused = ["access_denied", message];
    const personal = await world.invite(group, "editor", { email: "ada@example.com" });
    expect(await tried(personal, "mallory")).toEqual(refused);
    const unverified = await world.invite(group, "editor", { email: "unverified-ada@example.com" });
    expect(await tried(unverified, "unverified-ada")).toEqual(refused);
    expect(await tried(`${personal.slice(0, -1)}_`, "ada")).toEqual(refused);
    expect(await tried("unknown", "ada")).toEqual(refused);
    const expired = await world.invite(group, "editor", { ttl: "60s" });
    platform.advance(60_000);
    expect(await tried(expired, "ada")).toEqual(refused);
    // A provider that belongs to somebody else can assert any e-mail address.
    const above = await world.invite(platform.root, "editor", { email: "ada@example.com" });
    expect(await tried(above, "ada")).toEqual(refused);
    const { group: sibling } = await world.group();
    expect(await tried(await world.invite(sibling, "editor"), "ada")).toEqual(refused);
  });

  it("cannot be guessed: wrong codes are limited by address", async () => {
    const guess = query({ exit: "redirect", redirect: program, invite: `${"0".repeat(16)}.${"a".repeat(43)}` });
    for (let attempt = 0; attempt < 20; attempt++) await world.browser().open(`${platform.url}/oauth?${guess}`);
    const invite = await world.invite(group, "editor");
    expect(await tried(invite, "ada")).toEqual([
      "temporarily_unavailable",
      expect.stringContaining("too many wrong codes"),
    ]);
  });

  it("grants nothing that the owners of its group cannot grant any more", async () => {
    const { uid: role } = await platform.admin.ok("POST", `/iam/v2beta1/roles/${group}`, {
      name: "a",
      capabilities: ["CAP_IAM_GROUPS_LIST"],
    });
    const { code } = await platform.admin.ok("POST", `/iam/v2beta1/groupInvites/${group}`, {
      roleUid: role,
      ttl: "3600s",
    });
    await platform.admin.ok("PATCH", `/iam/v2beta1/roles/${role}`, { capabilities: ["CAP_IAM_GROUPS_LIST", 4_711] });
    expect(await tried(code as string, "ada")).toEqual(["access_denied", message]);
  });
});

describe("a device code that is sent to a victim", () => {
  it("grants nothing before the victim has read what it grants, and agreed", async () => {
    const { body } = await world.post("/device_authorization", { group });
    const victim = world.browser();
    const form = await victim.open(`${platform.url}/device`);
    expect(form.text).toContain("Whoever sends you a code wants to act as you");
    const found = await victim.submit(form, { user_code: String(body["user_code"]) });
    expect(found.text).toMatch(/device at the address <strong>127\.0\.0\.1<\/strong> asked for this code/);
    const href = new URL(/href="([^"]*)"/.exec(found.text)?.[1] ?? "", platform.url).href;
    const page = await world.logIn(victim, href);
    for (const text of ["Another device", "viewer", "24 hours"]) expect(page.text).toContain(text);
    expect((await world.poll(body["device_code"])).body).toMatchObject({ error: "authorization_pending" });
    await victim.submit(page, { decision: "deny" });
    expect((await world.poll(body["device_code"])).body).toMatchObject({ error: "access_denied" });
  });

  it("cannot be guessed: wrong codes are limited by address", async () => {
    const { body } = await world.post("/device_authorization", { group });
    const browser = world.browser();
    let page = await browser.open(`${platform.url}/device`);
    for (let attempt = 0; attempt < 20; attempt++) page = await browser.submit(page, { user_code: "BBBB-BBBB" });
    const last = await browser.submit(page, { user_code: String(body["user_code"]) });
    expectRefusedByPage(last, 429);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(500);
  });
});

it("serves its pages below the path of the token service's URL", async () => {
  const other = await RunningPlatform.start({ authUrl: "https://platform.example.com/auth" });
  const response = await other.as(undefined).get("/auth/device");
  expect(response.text).toContain('action="/auth/device"');
  expect(response.headers.get("set-cookie")).toMatch(/^__Host-muster-login=.*; Secure$/);
  expect((await other.as(undefined).get("/auth/authorize?client_id=muster-cli")).text).toContain(
    "redirect_uri is required",
  );
  await other.stop();
});
