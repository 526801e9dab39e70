import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeJwt } from "jose";
import { descriptionOf, errorOf, LoginWorld, program } from "./login-world.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

/** The members of RFC 8414 that the document has, so that a new one needs a test. */
interface Metadata {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly device_authorization_endpoint: string;
  readonly revocation_endpoint: string;
  readonly response_types_supported: readonly string[];
  readonly response_modes_supported: readonly string[];
  readonly grant_types_supported: readonly string[];
  readonly code_challenge_methods_supported: readonly string[];
  readonly token_endpoint_auth_methods_supported: readonly string[];
  readonly revocation_endpoint_auth_methods_supported: readonly string[];
  readonly authorization_response_iss_parameter_supported: boolean;
}

let world: LoginWorld;
let metadata: Metadata;
beforeAll(async () => {
  world = await LoginWorld.start();
  const response = await world.platform.as(undefined).get("/.well-known/oauth-authorization-server");
  expect(response).toMatchObject({ status: 200 });
  expect(response.headers.get("content-type")).toBe("application/json");
  metadata = response.body as unknown as Metadata;
});
afterAll(() => world.stop());

/** The error that the program receives for an authorization request with other parameters. */
async function refusalOf(parameters: Readonly<Record<string, string | undefined>>) {
  const { group } = await world.group();
  const visit = await world.browser().open(world.authorizeUrl({ group, ...parameters }));
  return [errorOf(visit), descriptionOf(visit)?.split(" ")[0]];
}

describe("The metadata of the authorization server (RFC 8414)", () => {
  it("has exactly the members that are tested here, and those of OpenID Connect Discovery are the same", async () => {
    expect(Object.keys(metadata).toSorted()).toEqual([
      "authorization_endpoint",
      "authorization_response_iss_parameter_supported",
      "code_challenge_methods_supported",
      "device_authorization_endpoint",
      "grant_types_supported",
      "issuer",
      "jwks_uri",
      "response_modes_supported",
      "response_types_supported",
      "revocation_endpoint",
      "revocation_endpoint_auth_methods_supported",
      "token_endpoint",
      "token_endpoint_auth_methods_supported",
    ]);
    const { body } = await world.platform.as(undefined).get("/.well-known/openid-configuration");
    expect(body).toMatchObject(metadata);
  });

  it("names the issuer of tokens and of responses, and its keys", async () => {
    const { group } = await world.group();
    const received = await world.agree(world.browser(), world.authorizeUrl({ group }));
    expect(metadata.authorization_response_iss_parameter_supported).toBe(true);
    expect(received.get("iss")).toBe(metadata.issuer);
    const denied = await world.browser().open(world.authorizeUrl({ group, response_type: "token" }));
    expect(new URL(denied.url).searchParams.get("iss")).toBe(metadata.issuer);
    const { body } = await world.redeem(received.get("code"));
    expect(decodeJwt(String(body["access_token"])).iss).toBe(metadata.issuer);
    expect(await (await fetch(metadata.jwks_uri)).json()).toMatchObject({ keys: [{ use: "sig" }] });
  });

  it("has the endpoints that serve a login, on a device, too, and end it", async () => {
    const { group } = await world.group();
    const post = async (url: string, fields: Readonly<Record<string, string>>) => {
      const response = await fetch(url, {
        method: "POST",
        body: new URLSearchParams({ client_id: "muster-cli", ...fields }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    };
    const url = new URL(world.authorizeUrl({ group }));
    const received = await world.agree(world.browser(), metadata.authorization_endpoint + url.search);
    const code = received.get("code") ?? "";
    const redeemed = await post(metadata.token_endpoint, {
      grant_type: "authorization_code",
      code,
      redirect_uri: program,
      code_verifier: world.verifier,
    });
    expect(redeemed.status).toBe(200);
    const device = await post(metadata.device_authorization_endpoint, { group });
    expect(device).toMatchObject({ status: 200, body: { verification_uri: expect.stringContaining(metadata.issuer) } });
    const token = redeemed.body["refresh_token"] ?? "";
    expect((await post(metadata.revocation_endpoint, { token })).status).toBe(200);
    expect((await world.refresh(token)).body["error"]).toBe("invalid_grant");
  });

  it("lists exactly the response types, response modes and challenge methods that are accepted", async () => {
    expect(metadata.response_types_supported).toEqual(["code"]);
    for (const response_type of ["token", "id_token", "code token", "none"])
      expect(await refusalOf({ response_type })).toEqual(["unsupported_response_type", "response_type"]);
    expect(metadata.response_modes_supported).toEqual(["query"]);
    expect(await refusalOf({ response_mode: "query" })).toEqual([null, undefined]);
    for (const response_mode of ["fragment", "form_post", "jwt"])
      expect(await refusalOf({ response_mode })).toEqual(["invalid_request", "response_mode"]);
    expect(metadata.code_challenge_methods_supported).toEqual(["S256"]);
    for (const code_challenge_method of ["plain", "s256", undefined])
      expect(await refusalOf({ code_challenge_method })).toEqual(["invalid_request", "PKCE"]);
  });

  it("lists exactly the grant types that are accepted", async () => {
    const accepted = [];
    for (const grant_type of [
      "authorization_code",
      "refresh_token",
      "urn:ietf:params:oauth:grant-type:device_code",
      "urn:ietf:params:oauth:grant-type:token-exchange",
      "urn:ietf:params:oauth:grant-type:jwt-bearer",
      "client_credentials",
      "password",
      "implicit",
    ]) {
      const { body } = await world.post("/token", { grant_type });
      if (body["error"] !== "unsupported_grant_type") accepted.push(grant_type);
    }
    expect(accepted).toEqual(metadata.grant_types_supported);
  });

  it("says truly that clients have no secret", async () => {
    expect(metadata.token_endpoint_auth_methods_supported).toEqual(["none"]);
    expect(metadata.revocation_endpoint_auth_methods_supported).toEqual(["none"]);
    for (const path of ["/token", "/revoke"]) {
      const { status, body } = await world.post(path, { client_id: "other", client_secret: "secret" });
      expect([status, body["error"]]).toEqual([401, "invalid_client"]);
      for (const secret of [{ client_secret: "s" }, { client_assertion: "a", client_assertion_type: "t" }])
        expect((await world.post(path, { token: "t", ...secret })).body).toMatchObject({
          error: "invalid_client",
          error_description: expect.stringContaining(Object.keys(secret)[0] ?? ""),
        });
    }
  });

  it("is found where RFC 8414 looks for it, also if the issuer has a path", async () => {
    const issuer = "http://127.0.0.1:19/some/auth";
    const platform = await RunningPlatform.start({ authUrl: issuer });
    for (const path of ["/.well-known/oauth-authorization-server/some/auth", "/.well-known/oauth-authorization-server"])
      expect(await platform.as(undefined).get(path)).toMatchObject({ status: 200, body: { issuer } });
    expect((await platform.as(undefined).get("/.well-known/oauth-authorization-server/other")).status).toBe(404);
    await platform.stop();
  });
});
