import { hash, randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import { clientId, type OAuthResponse, openPage, postForm, program, submitForm } from "../../client/login.ts";
import type { RestResponse } from "../../client/rest.ts";
import { equal, has, holds, matches, Skip, succeeded } from "../../expect.ts";
import { decidedSection, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };

/** Creates identity providers in the case's group. No case makes the platform ask one. */
async function makeProviders(world: World, ...names: readonly string[]): Promise<void> {
  const defaultRole = await world.builtInRole("viewer");
  for (const name of names) await world.make("identityProviders", world.group, { name, defaultRole, oidc });
}

/** The request of the command-line tool to `/authorize`. @param changes parameters; one that is undefined is omitted */
function authorization(world: World, changes: Readonly<Record<string, string | undefined>> = {}) {
  const parameters = {
    client_id: clientId,
    response_type: "code",
    redirect_uri: program,
    code_challenge: hash("sha256", randomBytes(32), "base64url"),
    code_challenge_method: "S256",
    state: "a state",
    group: world.group,
    ...changes,
  };
  const present = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Readonly<Record<string, string>>;
}

/** Checks the error of an endpoint that programs call. */
function isRefused({ status, headers, json }: OAuthResponse, error: string, what: string): void {
  matches(json["error_description"], /./, `error_description of ${what}`);
  equal([status, json["error"]], [error === "invalid_client" ? 401 : 400, error], `the status and error of ${what}`);
  matches(headers["cache-control"], /\bno-store\b/, `Cache-Control of ${what}`);
}

/** The query of the redirect to a program. */
function redirectOf({ status, headers }: RestResponse, to: string, what: string): URLSearchParams {
  holds(status >= 300 && status < 400, `the HTTP status of ${what}`, "a redirect", status);
  const location = String(headers["location"]);
  holds(location.startsWith(`${to}?`), `Location of ${what}`, `an address at ${to}`, location);
  return new URL(location).searchParams;
}

/** Starts a login on a device. */
async function startDevice(world: World) {
  const { status, json } = await postForm(world, "/device_authorization", { group: world.group });
  equal(status, 200, "the HTTP status of a device authorization");
  return json as {
    readonly device_code: string;
    readonly user_code: string;
    readonly verification_uri: string;
    readonly expires_in: number;
    readonly interval: number;
  };
}

/** A refresh token, without a person: that of an exchange. */
async function refreshTokenOf(world: World): Promise<string> {
  const { uid: identity, subjectToken } = await world.makeAssumable();
  return String(succeeded(await world.exchange(subjectToken, { identity }))["refreshToken"]);
}

const use = (world: World, token: string) =>
  postForm(world, "/token", { grant_type: "refresh_token", refresh_token: token });

/** Uses a refresh token; this must succeed. */
async function used(world: World, token: string): Promise<OAuthResponse["json"]> {
  const { status, json } = await use(world, token);
  if (status === 400 && json["error"] === "invalid_grant")
    throw new Skip("the token endpoint accepts the refresh tokens of logins alone, which need a person");
  equal(status, 200, "the HTTP status of a refresh");
  return json;
}

/** How people log in, as far as a client can check it without a browser, an identity provider and a person. */
export const login = decidedSection("Interactive login", [
  requirement(
    "login.discovery",
    "The discovery document has the endpoints of OAuth 2.0 at `{auth_url}`: `authorize`, `token`, `device_authorization`, `revoke`; clients are public and use PKCE (S256).",
    overRest(async (world) => {
      const { text } = await openPage(world, "/.well-known/openid-configuration");
      const document = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const { authUrl } = world.target;
      has(
        document,
        {
          authorization_endpoint: `${authUrl}/authorize`,
          token_endpoint: `${authUrl}/token`,
          device_authorization_endpoint: `${authUrl}/device_authorization`,
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        },
        "the discovery document",
      );
      for (const grant of ["authorization_code", "refresh_token", deviceGrant])
        holds(
          (document["grant_types_supported"] as readonly unknown[]).includes(grant),
          "grant_types_supported",
          `${grant} among them`,
          document["grant_types_supported"],
        );
    }),
  ),
  requirement(
    "login.choice",
    "`{auth_url}/authorize` lets the person choose among the identity providers of a group and of the groups above it.",
    overRest(async (world) => {
      await makeProviders(world, "first provider", "second provider");
      const below = await world.makeGroup();
      const page = await openPage(world, "/authorize", authorization(world, { group: below }));
      equal(page.status, 200, "the HTTP status");
      for (const name of ["first provider", "second provider"])
        holds(page.text.includes(name), "the page", `one with "${name}"`, page.text);
      matches(page.headers["content-type"], /^text\/html\b/, "Content-Type");
      matches(page.headers["content-security-policy"], /frame-ancestors 'none'/, "Content-Security-Policy");
      matches(page.headers["cache-control"], /\bno-store\b/, "Cache-Control");
    }),
  ),
  requirement(
    "login.redirect",
    "Only loopback redirects are accepted (RFC 8252): with any other, the person gets a page and nothing is sent anywhere.",
    overRest(async (world) => {
      for (const redirect of [
        "https://attacker.example.com/callback",
        "http://attacker.example.com:51234/callback",
        "http://127.0.0.1:51234@attacker.example.com/callback",
        "http://localhost.attacker.example.com:51234/callback",
        "http://127.0.0.1:51234/other",
        "http://127.0.0.1/callback",
        "http://127.0.0.2:51234/callback",
        "http://0.0.0.0:51234/callback",
        "http://user@127.0.0.1:51234/callback",
        "http://127.0.0.1:51234/callback#fragment",
        "http://127.0.0.1:51234/callback/../../other",
        "http:\\\\attacker.example.com:1\\callback",
        "//attacker.example.com/callback",
        "javascript:alert(1)",
        "app:/callback",
        "",
      ])
        for (const [path, query] of [
          ["/authorize", authorization(world, { redirect_uri: redirect })],
          ["/oauth", { exit: "redirect", redirect }],
        ] as const) {
          const { status, headers } = await openPage(world, path, query);
          equal([status, headers["location"]], [400, undefined], `the status and Location of ${path}, ${redirect}`);
        }
    }),
  ),
  requirement(
    "login.pkce",
    "A code needs PKCE with S256. Errors reach the program in its redirect, with its `state` and the issuer.",
    overRest(async (world) => {
      // Otherwise, the login would be refused for another reason.
      await makeProviders(world, "first provider", "second provider");
      for (const [changes, error] of [
        [{ code_challenge: undefined }, "invalid_request"],
        [{ code_challenge: "short" }, "invalid_request"],
        [{ code_challenge_method: "plain" }, "invalid_request"],
        [{ code_challenge_method: undefined }, "invalid_request"],
        [{ response_type: "token" }, "unsupported_response_type"],
        [{ group: "nonsense" }, "invalid_request"],
        [{ audience: "https://other.invalid" }, "invalid_target"],
      ] as const) {
        const what = `an authorization with ${JSON.stringify(changes)}`;
        const end = redirectOf(await openPage(world, "/authorize", authorization(world, changes)), program, what);
        equal(
          [end.get("error"), end.get("state"), end.get("iss"), end.has("code")],
          [error, "a state", world.target.authUrl, false],
          `the error, state, iss and code of ${what}`,
        );
      }
    }),
  ),
  requirement(
    "login.family",
    "Clients of the family open `{auth_url}/oauth`: on failure, the browser is sent to their redirect with `error` and `status_code`.",
    overRest(async (world) => {
      const redirect = "http://localhost:51234/callback";
      const query = { redirect: `${redirect}?token=true&error=true` };
      for (const changes of [{ exit: "page" }, { exit: "redirect", idp_id: `${world.group}/${"0".repeat(16)}` }]) {
        const what = `a login with ${JSON.stringify(changes)}`;
        const end = redirectOf(await openPage(world, "/oauth", { ...query, ...changes }), redirect, what);
        matches(end.get("error"), /[a-z]/, `error of ${what}`);
        equal([end.get("status_code"), end.has("token")], ["400", false], `status_code and token of ${what}`);
      }
    }),
  ),
  requirement(
    "login.device",
    "The device grant (RFC 8628): codes live for 10 min, and a device polls until the person has logged in.",
    overRest("polling", async (world) => {
      await makeProviders(world, "provider");
      const device = await startDevice(world);
      equal(device.expires_in, 600, "expires_in");
      const poll = (code: string) => postForm(world, "/token", { grant_type: deviceGrant, device_code: code });
      isRefused(await poll(device.device_code), "authorization_pending", "the first poll");
      isRefused(await poll(device.device_code), "slow_down", "a poll at once after it");
      isRefused(await poll(device.user_code), "invalid_grant", "a poll with the code that the person types");
      isRefused(await poll("a".repeat(43)), "invalid_grant", "a poll with an unknown code");
    }),
    overRest("a group without identity providers", async (world) => {
      for (const group of [await world.makeGroup(), `${world.group}/${"0".repeat(16)}`]) {
        const { json } = await postForm(world, "/device_authorization", { group });
        if (json["device_code"] !== undefined) throw new Skip("a group above the suite's has an identity provider");
        equal(json["error"], "invalid_request", "error");
      }
    }),
  ),
  requirement(
    "login.device-page",
    "A device code is typed by the person, never in a link that is enough by itself; the page that follows says where the code is from.",
    overRest(async (world) => {
      await makeProviders(world, "first provider", "second provider");
      const device = await startDevice(world);
      equal("verification_uri_complete" in device, false, "whether there is a link that contains the code");
      const { authUrl } = world.target;
      holds(device.verification_uri.startsWith(`${authUrl}/`), "verification_uri", `one at ${authUrl}`, device);
      const path = device.verification_uri.slice(authUrl.length);
      const page = await openPage(world, path, { user_code: device.user_code });
      equal(page.status, 200, "the HTTP status of the page");
      equal(page.text.includes(device.user_code), false, "whether the page takes the code from its address");
      const fields = { user_code: device.user_code.toLowerCase().replace("-", "") };
      const elsewhere = await submitForm(world, { path, page, fields, cookies: "" });
      holds(elsewhere.status >= 400, "the status of the form in another browser", "an error", elsewhere.status);
      const found = await submitForm(world, { path, page, fields });
      equal(found.status, 200, "the HTTP status of the form");
      for (const text of ["first provider", "second provider", "address"])
        holds(found.text.includes(text), "the page that follows", `one with "${text}"`, found.text);
    }),
  ),
  requirement(
    "login.token",
    "`{auth_url}/token` returns the errors of OAuth 2.0, and its responses are not stored.",
    overRest(async (world) => {
      const unknown = { code: "a".repeat(43), redirect_uri: program, code_verifier: "a".repeat(43) };
      for (const [fields, error] of [
        [{ grant_type: "password" }, "unsupported_grant_type"],
        [{}, "invalid_request"],
        [{ grant_type: "authorization_code", client_id: "another" }, "invalid_client"],
        [{ grant_type: "authorization_code", ...unknown }, "invalid_grant"],
        [{ grant_type: "refresh_token", refresh_token: "unknown" }, "invalid_grant"],
      ] as const)
        isRefused(await postForm(world, "/token", fields), error, `a request with ${JSON.stringify(fields)}`);
    }),
    overRest("the other endpoints", async (world) => {
      for (const [path, fields, error] of [
        ["/device_authorization", { group: "a" }, "invalid_request"],
        ["/device_authorization", {}, "invalid_request"],
        ["/device_authorization", { client_id: "another" }, "invalid_client"],
        ["/revoke", {}, "invalid_request"],
      ] as const)
        isRefused(await postForm(world, path, fields), error, `${path} with ${JSON.stringify(fields)}`);
    }),
  ),
  requirement(
    "login.refresh",
    "Tokens live for 1 h and are renewed by a refresh token that can be used once; reuse ends its family.",
    overRest(async (world) => {
      const first = await refreshTokenOf(world);
      const response = await used(world, first);
      const { iat = 0, exp = 0 } = decodeJwt(String(response["access_token"]));
      equal([response["token_type"], exp - iat], ["Bearer", 3_600], "token_type, and the lifetime of the token");
      const expiresIn = Number(response["expires_in"]);
      holds(expiresIn > 3_500 && expiresIn <= 3_600, "expires_in", "the lifetime of the token", expiresIn);
      const second = String(response["refresh_token"]);
      await used(world, second);
      isRefused(await use(world, first), "invalid_grant", "reuse of the first token");
      const last = await use(world, second);
      isRefused(last, "invalid_grant", "the family after the reuse");
    }),
  ),
  requirement(
    "login.revoke",
    "`{auth_url}/revoke` (RFC 7009) ends the family of a refresh token, and succeeds for an unknown one.",
    overRest(async (world) => {
      const { refresh_token: token } = await used(world, await refreshTokenOf(world));
      const other = await refreshTokenOf(world);
      for (const revoked of [String(token), String(token), "unknown"])
        equal((await postForm(world, "/revoke", { token: revoked })).status, 200, "the HTTP status");
      isRefused(await use(world, String(token)), "invalid_grant", "a refresh after the revocation");
      await used(world, other);
    }),
  ),
  untested(
    "login.person",
    "The person's identity is found or created, bound to the provider's `defaultRole`, and recorded; first logins at public issuers need an invite; invites are redeemed; consent is asked.",
    "a login needs an identity provider and a person; covered by the tests of this project's platform",
  ),
]);
