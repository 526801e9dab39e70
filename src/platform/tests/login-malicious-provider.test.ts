import { redirectUriFor } from "#src/platform/login/open-id-providers.ts";
import { DiscoveredIssuer } from "./discovered-issuer.testing.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LoginWorld, descriptionOf, errorOf } from "./login-world.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

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
  world.issuer.intercept = undefined;
  world.openIssuer.intercept = undefined;
});

describe("a malicious identity provider", () => {
  it("does not receive the code of another provider", async () => {
    platform.advance(600_001);
    const { url: own } = world.openIssuer;
    const received: string[] = [];
    world.openIssuer.intercept = ({ url = "" }, response) => {
      received.push(url);
      // It does not promise to name itself, and sends the browser to the other provider in its own name.
      const document = { issuer: own, authorization_endpoint: `${own}/auth`, token_endpoint: `${own}/token` };
      if (url === "/.well-known/openid-configuration") response.end(JSON.stringify(document));
      if (!url.startsWith("/auth?")) return url === "/.well-known/openid-configuration";
      const parameters = new URL(url, own).searchParams;
      parameters.set("redirect_uri", redirectUriFor(platform.url, world.issuer.url));
      response.writeHead(303, { location: `${world.issuer.url}/auth?${parameters.toString()}` }).end();
      return true;
    };
    const { provider } = await world.group({ issuer: world.openIssuer });
    const browser = world.browser();
    browser.stopAt(`${platform.url}/login/callback/`);
    const response = new URL((await world.logIn(browser, world.authorizeUrl({ identity_provider: provider }))).url);
    browser.stopAt();
    response.searchParams.delete("iss");
    expect(descriptionOf(await browser.open(response.href))).toContain("another identity provider");
    expect(received.some((url) => url.startsWith("/auth?"))).toBe(true);
    expect(received.filter((url) => url.startsWith("/token"))).toEqual([]);
  });

  it.each([
    ["names another issuer", (url: URL) => url.searchParams.set("iss", "https://other.example.com")],
    ["does not name itself, although it should", (url: URL) => url.searchParams.delete("iss")],
    ["reports an error", (url: URL) => url.searchParams.set("error", "<b>login_required")],
    ["sends no code", (url: URL) => url.searchParams.delete("code")],
    ["sends a wrong code", (url: URL) => url.searchParams.set("code", "wrong")],
  ])("is refused when it %s", async (_, change) => {
    const { group: own } = await world.group();
    const browser = world.browser();
    const page = await browser.open(world.authorizeUrl({ group: own }));
    browser.stopAt(`${platform.url}/login/callback/`);
    const response = new URL((await browser.submit(page, { account: "ada" })).url);
    browser.stopAt();
    change(response);
    const end = await browser.open(response.href);
    expect(errorOf(end)).toMatch(/access_denied|invalid_request/);
    expect(descriptionOf(end)).not.toContain("<b>");
    expect(await world.identitiesIn(own)).toEqual([]);
  });

  it("is not asked at a private address, unless the issuer is trusted", async () => {
    const issuer = await DiscoveredIssuer.start();
    const body = {
      name: "private",
      defaultRole: await platform.admin.role("viewer"),
      oidc: { issuer: issuer.url, clientId: "a", pkceEnabled: true },
    };
    const created = await platform.admin.post(`/iam/v2beta1/identityProviders/${group}`, body);
    expect([created.status, created.text]).toEqual([
      400,
      expect.stringContaining("oidc.issuer: does not have a public address"),
    ]);
    // One that an earlier version stored, or whose name resolves to such an address.
    const trusting = await RunningPlatform.start({ trustedIssuers: [issuer.trusted] }, { replicaOf: platform });
    const { uid } = await trusting.admin.ok("POST", `/iam/v2beta1/identityProviders/${group}`, body);
    const end = await world.browser().open(world.authorizeUrl({ identity_provider: uid }));
    expect([errorOf(end), issuer.requests]).toEqual(["temporarily_unavailable", 0]);
    await platform.admin.ok("DELETE", `/iam/v2beta1/identityProviders/${uid}`);
    await trusting.stop();
    issuer.stop();
  });

  it("takes no slot of a call while it does not respond", async () => {
    platform.advance(600_001);
    const asked = Promise.withResolvers<() => void>();
    world.openIssuer.intercept = (_request, response) => {
      asked.resolve(() => response.end("{}"));
      return true;
    };
    const { provider } = await world.group({ issuer: world.openIssuer });
    const login = world.browser().open(world.authorizeUrl({ identity_provider: provider }));
    const respond = await asked.promise;
    await platform.admin.callsInFlight(0);
    respond();
    expect(errorOf(await login)).toBe("access_denied");
  });

  it.each<[string, object]>([
    ["a script as its login page", { authorization_endpoint: "javascript:alert(1)" }],
    ["a token endpoint without TLS", { token_endpoint: "http://127.0.0.1:1/token" }],
    ["no endpoints", { authorization_endpoint: undefined }],
    ["another issuer", { issuer: "https://other.example.com" }],
  ])("is refused when its discovery document has %s", async (_, changes) => {
    // What is known of an issuer is used for ten minutes.
    platform.advance(600_001);
    world.openIssuer.intercept = (request, response) => {
      if (request.url !== "/.well-known/openid-configuration") return false;
      const { url } = world.openIssuer;
      const document = {
        issuer: url,
        authorization_endpoint: `${url}/auth`,
        token_endpoint: `${url}/token`,
        ...changes,
      };
      response.end(JSON.stringify(document));
      return true;
    };
    const { provider } = await world.group({ issuer: world.openIssuer });
    const end = await world.browser().open(world.authorizeUrl({ identity_provider: provider }));
    expect(errorOf(end)).toBe("access_denied");
  });

  it("cannot put HTML into a page", async () => {
    const page = await world.logIn(world.browser(), world.authorizeUrl({ group }), `<b>ada</b>"'\u202e`);
    expect(page.text).toContain("&#60;b&#62;ada&#60;/b&#62;&#34;&#39;\ufffd");
    expect(page.text).not.toContain("<b>ada");
  });

  it("cannot be exchanged during a login", async () => {
    const { group: own, provider } = await world.group();
    const browser = world.browser();
    const page = await world.logIn(browser, world.authorizeUrl({ group: own }));
    await platform.admin.ok("PATCH", `/iam/v2beta1/identityProviders/${provider}`, {
      oidc: { issuer: world.openIssuer.url, clientId: "muster", clientSecret: "other" },
    });
    expect(errorOf(await browser.submit(page, { decision: "approve" }))).toBe("access_denied");
    expect(await world.identitiesIn(own)).toEqual([]);
  });
});
