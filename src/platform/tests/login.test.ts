import { createHash, randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redirectUriFor } from "#src/platform/login/open-id-providers.ts";
import { TestIdentityProvider } from "./identity-provider.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";
import { TestBrowser, type Visit } from "./test-browser.testing.ts";

const program = "http://127.0.0.1:51234/callback";
let issuer: TestIdentityProvider;
let platform: RunningPlatform;
let group: string;

beforeAll(async () => {
  issuer = await TestIdentityProvider.start();
  platform = await RunningPlatform.start({ trustedIssuers: [issuer.trusted] });
  issuer.serve([
    { id: "muster", secret: "a secret of a client", redirectUris: [redirectUriFor(platform.url, issuer.url)] },
    { id: "public", secret: undefined, redirectUris: [redirectUriFor(platform.url, issuer.url)] },
  ]);
  group = await platform.admin.group(platform.root);
  await newProvider(group);
});
afterAll(async () => {
  await platform.stop();
  issuer.stop();
});

const newProvider = async (parent: string, defaultRole = "viewer", oidc: object = {}) =>
  (
    await platform.admin.ok("POST", `/iam/v2beta1/identityProviders/${parent}`, {
      name: "example",
      defaultRole: await platform.admin.role(defaultRole),
      oidc: { issuer: issuer.url, clientId: "muster", clientSecret: "a secret of a client", ...oidc },
    })
  ).uid;

const query = (parameters: Readonly<Record<string, string>>) => new URLSearchParams(parameters).toString();
const newBrowser = () => new TestBrowser(issuer.ca, ["http://127.0.0.1:51234/", "http://localhost:51234/"]);
const verifier = randomBytes(32).toString("base64url");
const challengeOf = (text: string) => createHash("sha256").update(text).digest("base64url");

/** The address that the command-line tool opens. */
const authorizeUrl = (parameters: Readonly<Record<string, string>> = {}) =>
  `${platform.url}/authorize?${query({
    response_type: "code",
    client_id: "muster-cli",
    redirect_uri: program,
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
    state: "of the program",
    ...(parameters["identity_provider"] === undefined ? { group } : {}),
    ...parameters,
  })}`;

/** Logs in at the provider. @returns the page that asks for consent, or where an error went */
async function atProvider(browser: TestBrowser, url: string, account = "ada"): Promise<Visit> {
  const page = await browser.open(url);
  return page.url.startsWith(`${issuer.url}/accounts/`) ? browser.submit(page, { account }) : page;
}

async function approved(browser: TestBrowser, url = authorizeUrl(), account = "ada"): Promise<URLSearchParams> {
  const page = await atProvider(browser, url, account);
  expect(page.text).toContain("Log in?");
  const { url: end, text } = await browser.submit(page, { decision: "approve" });
  expect(end, text).toContain(":51234/callback?");
  return new URL(end).searchParams;
}

const post = async (path: string, fields: Readonly<Record<string, string>>) => {
  const response = await fetch(platform.url + path, {
    method: "POST",
    body: new URLSearchParams({ client_id: "muster-cli", ...fields }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
};
const redeem = (code: string | null, fields: Readonly<Record<string, string>> = {}) =>
  post("/token", {
    grant_type: "authorization_code",
    code: code ?? "",
    redirect_uri: program,
    code_verifier: verifier,
    ...fields,
  });

async function loggedIn(account = "ada", url = authorizeUrl()): Promise<Record<string, string>> {
  const browser = newBrowser();
  const result = await redeem((await approved(browser, url, account)).get("code"));
  expect(result.status, JSON.stringify(result.body)).toBe(200);
  return result.body as Record<string, string>;
}

describe("a login with a browser", () => {
  it("leads from nothing to a call with the default role, and creates the person's identity once", async () => {
    const browser = newBrowser();
    const page = await atProvider(browser, authorizeUrl());
    for (const text of ["ada@example.com", "viewer", "24 hours", "51234", issuer.url, "a new one"])
      expect(page.text).toContain(text);
    const before = await platform.admin.ok("GET", `/iam/v2beta1/identities?uidp.children_of=${group}`);
    expect(before.identities).toEqual([]);

    const end = new URL((await browser.submit(page, { decision: "approve" })).url).searchParams;
    expect(end.get("state")).toBe("of the program");
    expect(end.get("iss")).toBe(platform.url);
    const { status, body, headers } = await redeem(end.get("code"));
    expect(body).toMatchObject({ token_type: "Bearer", refresh_token: expect.stringMatching(/^muster-refresh-/) });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body["expires_in"]).toBeGreaterThan(3_500);
    const token = body["access_token"] as string;
    const { sub, act, aud } = decodeJwt(token);
    expect({ act, aud }).toEqual({ act: { iss: issuer.url, sub: "ada", aud: "muster" }, aud: [platform.url] });
    expect((await platform.as(token).ok("GET", `/iam/v2beta1/groups/${group}`)).uid).toBe(group);
    expect((await platform.as(token).patch(`/iam/v2beta1/groups/${group}`, { name: "b" })).status).toBe(403);

    const again = await loggedIn();
    expect(decodeJwt(again["access_token"] ?? "").sub).toBe(sub);
    const { identities } = await platform.admin.ok("GET", `/iam/v2beta1/identities?uidp.children_of=${group}`);
    expect(identities).toMatchObject([
      {
        uid: sub,
        name: expect.stringMatching(/^login-[0-9a-f]{32}$/),
        claimMatch: { issuer: issuer.url, subject: "ada", audience: "muster" },
      },
    ]);
  });
});
