import { createHash, randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import pino from "pino";
import { expect } from "vitest";
import { redirectUriFor } from "#src/platform/login/open-id-providers.ts";
import type { PlatformSettings } from "#src/platform/service/platform-settings.ts";
import { TestIdentityProvider } from "./identity-provider.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";
import { TestBrowser, type Visit } from "./test-browser.testing.ts";

const clientSecret = "a secret of a client";
/** Where the program listens that starts a login. Nothing listens there: the browser stops before. */
export const program = "http://127.0.0.1:51234/callback";

export interface OAuthResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A platform with two identity providers: one is of an organization, and at the other one anybody can have an account. */
export class LoginWorld {
  readonly issuer: TestIdentityProvider;
  readonly openIssuer: TestIdentityProvider;
  readonly platform: RunningPlatform;
  /** The lines of the platform's log. */
  readonly logged: readonly Readonly<Record<string, unknown>>[];
  /** Of the program, for PKCE. */
  readonly verifier = randomBytes(32).toString("base64url");
  readonly #browsers: TestBrowser[] = [];

  private constructor(
    issuer: TestIdentityProvider,
    openIssuer: TestIdentityProvider,
    platform: RunningPlatform,
    logged: LoginWorld["logged"],
  ) {
    this.issuer = issuer;
    this.openIssuer = openIssuer;
    this.platform = platform;
    this.logged = logged;
  }

  static async start(settings: Partial<PlatformSettings> = {}): Promise<LoginWorld> {
    const logged: Record<string, unknown>[] = [];
    const write = (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>);
    const issuer = await TestIdentityProvider.start();
    const openIssuer = await TestIdentityProvider.start();
    const platform = await RunningPlatform.start(
      {
        trustedIssuers: [issuer.trusted, openIssuer.trusted],
        publicIssuers: [openIssuer.url],
        unknownCapabilities: "admin",
        ...settings,
      },
      { log: pino({ level: "info" }, { write }) },
    );
    for (const one of [issuer, openIssuer])
      one.serve([
        { id: "muster", secret: clientSecret, redirectUris: [redirectUriFor(platform.url, one.url)] },
        { id: "public", secret: undefined, redirectUris: [redirectUriFor(platform.url, one.url)] },
      ]);
    return new LoginWorld(issuer, openIssuer, platform, logged);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#browsers.map((browser) => browser.close()));
    await this.platform.stop();
    this.issuer.stop();
    this.openIssuer.stop();
  }

  /** Creates an identity provider. @returns its uid */
  async provider(
    group: string,
    { role = "viewer", issuer = this.issuer, oidc = {}, name = "example" } = {},
  ): Promise<string> {
    const { admin } = this.platform;
    const { uid } = await admin.ok("POST", `/iam/v2beta1/identityProviders/${group}`, {
      name,
      defaultRole: role.length === 40 || role.includes("/") ? role : await admin.role(role),
      oidc: { issuer: issuer.url, clientId: "muster", clientSecret, ...oidc },
    });
    return uid;
  }

  /** Creates a group with an identity provider. @returns their uids */
  async group(options: Parameters<LoginWorld["provider"]>[1] = {}): Promise<{ group: string; provider: string }> {
    const group = await this.platform.admin.group(this.platform.root);
    return { group, provider: await this.provider(group, options) };
  }

  /** Creates an invite. @returns its code */
  async invite(group: string, role: string, fields: object = {}): Promise<string> {
    const { admin } = this.platform;
    const { code } = await admin.ok("POST", `/iam/v2beta1/groupInvites/${group}`, {
      roleUid: await admin.role(role),
      ttl: "3600s",
      ...fields,
    });
    return code as string;
  }

  /** The identities in a group itself. */
  async identitiesIn(group: string) {
    return (await this.platform.admin.ok("GET", `/iam/v2beta1/identities?uidp.children_of=${group}`)).identities;
  }

  /** The roles of an identity, each with its group: `viewer UID`. */
  async rolesOf(identity: string): Promise<readonly string[]> {
    const { roleBindings } = await this.platform.admin.ok("GET", `/iam/v2beta1/roleBindings?identity=${identity}`);
    return roleBindings
      .map(({ role, group }) => `${(role as { name: string }).name} ${(group as { uid: string }).uid}`)
      .toSorted();
  }

  browser(): TestBrowser {
    const browser = new TestBrowser(this.issuer.ca, ["http://127.0.0.1:51234/", "http://localhost:51234/"]);
    this.#browsers.push(browser);
    return browser;
  }

  /** The address that the command-line tool opens. @param parameters undefined removes one */
  authorizeUrl(parameters: Readonly<Record<string, string | undefined>>): string {
    return `${this.platform.url}/authorize?${query({
      response_type: "code",
      client_id: "muster-cli",
      redirect_uri: program,
      code_challenge: challengeOf(this.verifier),
      code_challenge_method: "S256",
      state: "of the program",
      ...parameters,
    })}`;
  }

  /** Opens an address and logs in at the provider that it leads to. @returns the page that asks, or where an error went */
  async logIn(browser: TestBrowser, url: string, account = "ada"): Promise<Visit> {
    const page = await browser.open(url);
    return /\/accounts\/[^/]+$/.test(page.url) ? browser.submit(page, { account }) : page;
  }

  /** Logs in and agrees. @returns what the program receives */
  async agree(browser: TestBrowser, url: string, account = "ada"): Promise<URLSearchParams> {
    const page = await this.logIn(browser, url, account);
    expect(page.text, page.url).toContain("Log in?");
    const end = await browser.submit(page, { decision: "approve" });
    expect(end.url, end.text).toContain(":51234/callback?");
    return new URL(end.url).searchParams;
  }

  /** Logs in with a new browser and redeems the code. @returns the response of the token endpoint */
  async tokens(
    parameters: Readonly<Record<string, string>>,
    account = "ada",
  ): Promise<Readonly<Record<string, string>>> {
    const code = (await this.agree(this.browser(), this.authorizeUrl(parameters), account)).get("code");
    const { status, body } = await this.redeem(code);
    expect(status, JSON.stringify(body)).toBe(200);
    return body as Record<string, string>;
  }

  redeem(code: string | null, fields: Readonly<Record<string, string>> = {}): Promise<OAuthResponse> {
    return this.post("/token", {
      grant_type: "authorization_code",
      code: code ?? "",
      redirect_uri: program,
      code_verifier: this.verifier,
      ...fields,
    });
  }

  refresh(token = ""): Promise<OAuthResponse> {
    return this.post("/token", { grant_type: "refresh_token", refresh_token: token });
  }

  poll(deviceCode: unknown): Promise<OAuthResponse> {
    return this.post("/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: String(deviceCode),
    });
  }

  /** Sends a form to an endpoint for programs. */
  async post(path: string, fields: Readonly<Record<string, string>>): Promise<OAuthResponse> {
    const body = new URLSearchParams({ client_id: "muster-cli", ...fields });
    const response = await fetch(this.platform.url + path, { method: "POST", body });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as OAuthResponse["body"],
    };
  }
}

/** The identity that a token is for. */
export function subjectOf(token: unknown): string {
  return decodeJwt(String(token)).sub ?? "";
}

/** The error that a program receives; null if it receives none. */
export function errorOf({ url }: Visit): string | null {
  return new URL(url).searchParams.get("error");
}

/** The description of the error that a program receives. */
export function descriptionOf({ url }: Visit): string | null {
  return new URL(url).searchParams.get("error_description");
}

/** A page for the person: nothing was sent to a program. */
export function expectRefusedByPage(visit: Visit, status = 403): void {
  expect(visit.url).not.toContain(":51234");
  expect([visit.status, visit.text.includes("The login failed")]).toEqual([status, true]);
}

export function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

export function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given).toString();
}
