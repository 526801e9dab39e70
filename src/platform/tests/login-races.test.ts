import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { descriptionOf, LoginWorld, program, query, subjectOf } from "./login-world.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";
import type { TestBrowser, Visit } from "./test-browser.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
let replica: RunningPlatform;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
  const settings = { baseUrl: platform.url, authUrl: platform.url, trustedIssuers: [world.issuer.trusted] };
  replica = await RunningPlatform.start(settings, { replicaOf: platform });
});
afterAll(async () => {
  await replica.stop();
  await world.stop();
});

/** Waits for both, whichever is first. */
const both = async <T>(one: (at: RunningPlatform) => Promise<T>, other = one): Promise<readonly T[]> =>
  Promise.all([one(platform), other(replica)]);

interface Consent {
  readonly browser: TestBrowser;
  readonly page: Visit;
}

/** A person who is asked whether to log in. */
async function asked(parameters: Readonly<Record<string, string>> | string, account = "ada"): Promise<Consent> {
  const browser = world.browser();
  const url = typeof parameters === "string" ? parameters : world.authorizeUrl(parameters);
  const page = await world.logIn(browser, url, account);
  expect(page.text).toContain("Log in?");
  return { browser, page };
}

/** The decision of a person, sent to one of the replicas. */
function decide({ browser, page }: Consent, at: RunningPlatform, decision = "approve"): Promise<Visit> {
  const cookie = `muster-login=${browser.cookiesOf(platform.url).get("muster-login")}`;
  const fields = { form_token: /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? "", decision };
  return world.browser().post(`${at.url}/login/consent`, fields, { cookie });
}

const codeOf = ({ url }: Visit) => new URL(url).searchParams.get("code") ?? "";
const send = async (at: RunningPlatform, path: string, fields: Readonly<Record<string, string>>) => {
  const body = new URLSearchParams({ client_id: "muster-cli", ...fields });
  const response = await fetch(at.url + path, { method: "POST", body });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, string>> };
};
type Sent = Awaited<ReturnType<typeof send>>;
const redeem = (code: string) => (at: RunningPlatform) =>
  send(at, "/token", {
    grant_type: "authorization_code",
    code,
    redirect_uri: program,
    code_verifier: world.verifier,
  });
const refresh = (token: string) => (at: RunningPlatform) =>
  send(at, "/token", { grant_type: "refresh_token", refresh_token: token });
const poll = (code: string) => (at: RunningPlatform) =>
  send(at, "/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: code });
const succeeded = (responses: readonly Sent[]) =>
  responses.filter(({ status }) => status === 200).map(({ body }) => body);
const isEnded = async (token = "") =>
  expect((await refresh(token)(replica)).body["error"], "a refresh").toBe("invalid_grant");
const countIn = async (group: string, collection: "identities" | "roleBindings") =>
  Number((await platform.admin.ok("GET", `/iam/v2beta1/${collection}?uidp.children_of=${group}`)).totalCount);

/** A device whose code was typed, up to the question whether to log in. @param accounts of the people who typed it */
async function device(group: string, accounts: readonly string[]) {
  const { body } = await send(platform, "/device_authorization", { group });
  const people = await Promise.all(
    accounts.map(async (account) => {
      const browser = world.browser();
      const form = await browser.open(`${platform.url}/device`);
      const found = await browser.submit(form, { user_code: body["user_code"] ?? "" });
      const href = /href="([^"]*)"/.exec(found.text)?.[1] ?? "";
      const page = await world.logIn(browser, new URL(href, platform.url).href, account);
      return { browser, page };
    }),
  );
  return { code: body["device_code"] ?? "", people };
}

it("a person who logs in for the first time at two replicas at once gets one identity and one role binding", async () => {
  const { group } = await world.group();
  const [first, second] = [await asked({ group }), await asked({ group })];
  const ends = await both(
    (at) => decide(first, at),
    (at) => decide(second, at),
  );
  const tokens = await Promise.all(ends.map(async (end) => (await redeem(codeOf(end))(replica)).body["access_token"]));
  expect(new Set(tokens.map((token) => decodeJwt(token ?? "").sub)).size).toBe(1);
  expect([await countIn(group, "identities"), await countIn(group, "roleBindings")]).toEqual([1, 1]);
});

it("an invite for one person is redeemed at one of two replicas", async () => {
  const { group } = await world.group();
  const invite = await world.invite(group, "editor", { singleUse: true });
  const [first, second] = [await asked({ group, invite }), await asked({ group, invite }, "ben")];
  const ends = await both(
    (at) => decide(first, at),
    (at) => decide(second, at),
  );
  expect(ends.map(codeOf).filter((code) => code !== "")).toHaveLength(1);
  expect([await countIn(group, "identities"), await countIn(group, "roleBindings")]).toEqual([1, 2]);
});

it("a code that is redeemed twice at once gives tokens once, and the login ends", async () => {
  const { group } = await world.group();
  const consent = await asked({ group });
  const [tokens, ...more] = succeeded(await both(redeem(codeOf(await decide(consent, replica)))));
  expect(more).toEqual([]);
  await isEnded(tokens?.["refresh_token"]);
});

it("a device that polls two replicas at once gets tokens once", async () => {
  const { group } = await world.group();
  const { code, people } = await device(group, ["ada"]);
  await decide(people[0] as Consent, replica);
  expect(succeeded(await both(poll(code)))).toHaveLength(1);
  // A device that polls too early gets no tokens, however often it could.
  for (const at of [platform, replica]) at.advance(10_000);
  expect((await poll(code)(replica)).body["error"]).toBe("invalid_grant");
});

it("a device gets the login of one person, and of none who cancelled", async () => {
  const { group } = await world.group();
  const { code, people } = await device(group, ["ada", "ben"]);
  const ends = await both(
    (at) => decide(people[0] as Consent, at),
    (at) => decide(people[1] as Consent, at),
  );
  expect(ends.filter(({ text }) => text.includes("You are logged in"))).toHaveLength(1);
  expect(await countIn(group, "identities")).toBe(1);
  expect((await poll(code)(platform)).status).toBe(200);

  const other = await device(group, ["ada", "ben"]);
  const [approved, cancelled] = await both(
    (at) => decide(other.people[0] as Consent, at),
    (at) => decide(other.people[1] as Consent, at, "deny"),
  );
  expect(cancelled?.text).toContain("cancelled");
  const isLoggedIn = approved?.text.includes("You are logged in");
  expect((await poll(other.code)(platform)).body["error"]).toBe(isLoggedIn ? undefined : "access_denied");
});

it("a refresh token that is used at two replicas at once is used once, and its family ends", async () => {
  const { group } = await world.group();
  for (let round = 0; round < 5; round++) {
    const { refresh_token: token = "" } = await world.tokens({ group });
    const [next, ...more] = succeeded(await both(refresh(token)));
    expect(more).toEqual([]);
    await isEnded(next?.["refresh_token"]);
  }
});

it("no token of a login outlives a logout at the other replica, or the end of all tokens", async () => {
  const { group } = await world.group();
  for (let round = 0; round < 5; round++) {
    const { refresh_token: token = "" } = await world.tokens({ group });
    const [next] = await both(refresh(token), (at) => send(at, "/revoke", { token }));
    for (const one of [token, next?.body["refresh_token"] ?? token]) await isEnded(one);

    const login = await asked({ group });
    const code = codeOf(await decide(login, platform));
    const { uid } = (await platform.admin.ok("GET", `/iam/v2beta1/identities?uidp.children_of=${group}`))
      .identities[0] ?? {
      uid: "",
    };
    const [redeemed] = await both<Sent>(redeem(code), async (at) => {
      await at.admin.ok("POST", `/iam/v2beta1/identities/${uid}:revokeTokens`);
      return { status: 0, body: {} };
    });
    const { access_token: accessToken, refresh_token: refreshToken } = redeemed?.body ?? {};
    if (accessToken === undefined) continue;
    expect((await platform.as(accessToken).get(`/iam/v2beta1/groups/${group}`)).status).toBe(401);
    await isEnded(refreshToken);
  }
});

const used = "the login was decided already: start again";

it("a consent is used once, whether it is sent to two replicas at once or later", async () => {
  const { group } = await world.group();
  const consent = await asked({ group });
  const ends = await both((at) => decide(consent, at));
  expect(ends.filter((end) => codeOf(end) !== "")).toHaveLength(1);
  expect(ends.map(descriptionOf).filter((text) => text !== null)).toEqual([used]);
  expect(descriptionOf(await decide(consent, platform))).toBe(used);
  expect(descriptionOf(await decide(consent, replica, "deny"))).toBe(used);

  const cancelled = await asked({ group });
  expect(descriptionOf(await decide(cancelled, replica, "deny"))).toBe("the login was cancelled");
  expect(descriptionOf(await decide(cancelled, platform))).toBe(used);
});

it("a consent to a client of the family is used once", async () => {
  const { provider } = await world.group();
  const redirect = `${program}?token=true&error=true`;
  const consent = await asked(`${platform.url}/oauth?${query({ exit: "redirect", redirect, idp_id: provider })}`);
  const ends = await both((at) => decide(consent, at));
  const tokens = ends.map(({ url }) => new URL(url).searchParams.get("token")).filter((token) => token !== null);
  expect(tokens).toHaveLength(1);
});

it("a consent ends with the tokens of the identity, and with the identity", async () => {
  const { group } = await world.group();
  const identity = subjectOf((await world.tokens({ group }))["access_token"]);
  const [revoked, deleted, later] = [await asked({ group }), await asked({ group }), await asked({ group }, "ben")];
  await platform.admin.ok("POST", `/iam/v2beta1/identities/${identity}:revokeTokens`);
  const description = "the identity was changed during the login: start again";
  expect(descriptionOf(await decide(revoked, replica))).toBe(description);
  const again = await asked({ group });
  expect(codeOf(await decide(again, replica))).not.toBe("");
  await platform.admin.ok("DELETE", `/iam/v2beta1/identities/${identity}`);
  expect(descriptionOf(await decide(deleted, platform))).toBe(description);
  expect(await countIn(group, "identities")).toBe(0);

  // For the first login of a person, too: what was created meanwhile has lost its tokens.
  const ben = subjectOf((await world.tokens({ group }, "ben"))["access_token"]);
  await platform.admin.ok("POST", `/iam/v2beta1/identities/${ben}:revokeTokens`);
  expect(descriptionOf(await decide(later, replica))).toBe(description);
});
