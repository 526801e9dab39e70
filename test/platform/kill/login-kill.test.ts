import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, expect, it } from "vitest";
import { redirectUriFor } from "#src/platform/login/open-id-providers.ts";
import { describeWithPostgres } from "#src/platform/tests/describe-with-postgres.testing.ts";
import { TestIdentityProvider } from "#src/platform/tests/identity-provider.testing.ts";
import { challengeOf, program, query } from "#src/platform/tests/login-world.testing.ts";
import { TestBrowser } from "#src/platform/tests/test-browser.testing.ts";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { sendJson } from "#test/support/harness/send-json.ts";
import { KilledReplicas } from "./killed-replicas.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-login-kill-"));
afterAll(() => rmSync(folder, { recursive: true }));

describeWithPostgres("two replicas, of which the one that serves is killed at each step of a login", (postgres) => {
  it("complete logins with a browser and on a device, and their tokens", { timeout: 120_000 }, async () => {
    const issuer = await TestIdentityProvider.start();
    writeFileSync(join(folder, "issuer.pem"), issuer.ca);
    const adminTokenFile = join(folder, "admin-token");
    const replicas = await KilledReplicas.start([
      "--database",
      await postgres().newDatabase(),
      "--key-file",
      join(folder, "key"),
      "--admin-token-file",
      adminTokenFile,
      "--trusted-issuer",
      `${issuer.url},ca=${join(folder, "issuer.pem")}`,
    ]);
    const { url } = replicas;
    issuer.serve([{ id: "public", secret: undefined, redirectUris: [redirectUriFor(url, issuer.url)] }]);
    const token = readFileSync(adminTokenFile, "utf8").trim();
    const admin = new PlatformAdmin(url, token);
    const { uid: group } = await admin.create("groups", await replicas.rootGroup(), { name: "group" });
    const viewer = (await admin.list("roles")).find(({ name }) => name === "viewer")?.uid;
    const oidc = { issuer: issuer.url, clientId: "public", pkceEnabled: true };
    await sendJson({
      url,
      token,
      method: "POST",
      path: `/iam/v2beta1/identityProviders/${group}`,
      body: { name: "provider", defaultRole: viewer, oidc },
    });

    const post = async (path: string, fields: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ client_id: "muster-cli", ...fields });
      const response = await fetch(url + path, { method: "POST", body });
      return (await response.json()) as Readonly<Record<string, string>>;
    };
    const newBrowser = () => new TestBrowser(issuer.ca, [program]);
    const verifier = randomBytes(32).toString("base64url");
    const authorization = query({
      response_type: "code",
      client_id: "muster-cli",
      redirect_uri: program,
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
      group,
    });

    // The person goes to the provider; a device gets a code.
    const [browser, other] = [newBrowser(), newBrowser()];
    const atProvider = await browser.open(`${url}/authorize?${authorization}`);
    const device = await post("/device_authorization", { group });
    await replicas.kill();

    // The provider sends the browser back; somebody types the code of the device.
    const consent = await browser.submit(atProvider, { account: "ada" });
    expect(consent.text).toContain("Log in?");
    const found = await other.submit(await other.open(`${url}/device`), { user_code: device["user_code"] ?? "" });
    await replicas.kill();

    // Nobody knows whether the login was completed when its replica was killed: the person agrees again, and starts again if the
    // decision was recorded, because a consent counts once.
    const copy = newBrowser();
    const fields = {
      decision: "approve",
      form_token: /name="form_token" value="([^"]*)"/.exec(consent.text)?.[1] ?? "",
    };
    const cookie = `muster-login=${browser.cookiesOf(url).get("muster-login")}`;
    const lost = copy.post(`${url}/login/consent`, fields, { cookie }).catch(() => undefined);
    const href = /href="([^"]*)"/.exec(found.text)?.[1] ?? "";
    const otherConsent = await other.submit(await other.open(new URL(href, url).href), { account: "ben" });
    await replicas.kill();
    await lost;
    const codeOf = ({ url: end }: { readonly url: string }) => new URL(end).searchParams.get("code");
    const agreeAgain = async () => {
      const login = await browser.open(`${url}/authorize?${authorization}`);
      const asked = login.text.includes("Log in?") ? login : await browser.submit(login, { account: "ada" });
      return browser.submit(asked, { decision: "approve" });
    };
    const code = codeOf(await browser.submit(consent, { decision: "approve" })) ?? codeOf(await agreeAgain()) ?? "";
    expect((await other.submit(otherConsent, { decision: "approve" })).text).toContain("You are logged in");

    const redirect = { redirect_uri: program, code_verifier: verifier };
    const tokens = await post("/token", { grant_type: "authorization_code", code, ...redirect });
    const grant = "urn:ietf:params:oauth:grant-type:device_code";
    const ofDevice = await post("/token", { grant_type: grant, device_code: device["device_code"] ?? "" });
    const people = [tokens, ofDevice].map(({ access_token: one = "" }) => decodeJwt(one));
    expect(people.map(({ act }) => (act as { sub: string }).sub)).toEqual(["ada", "ben"]);
    const identities = (await admin.list("identities")).map(({ uid }) => uid);
    expect(new Set(identities)).toEqual(new Set(people.map(({ sub }) => sub)));
    expect(identities).toHaveLength(2);

    const refresh = (one = "") => post("/token", { grant_type: "refresh_token", refresh_token: one });
    const renewed = await refresh(tokens["refresh_token"]);
    expect(renewed["access_token"]).toBeDefined();
    expect((await refresh(tokens["refresh_token"]))["error"]).toBe("invalid_grant");
    await replicas.kill();
    expect((await refresh(renewed["refresh_token"]))["error"]).toBe("invalid_grant");
    expect((await refresh(ofDevice["refresh_token"]))["access_token"]).toBeDefined();

    await Promise.all([browser, other, copy].map((one) => one.close()));
    await replicas.stop();
    issuer.stop();
  });
});
