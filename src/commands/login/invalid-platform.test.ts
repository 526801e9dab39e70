import { existsSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LoginCommands, respond } from "./login-commands.testing.ts";

let login: LoginCommands;
beforeAll(async () => {
  login = await LoginCommands.start();
});
afterAll(() => login.stop());
beforeEach(() => login.reset());

describe("a platform that is not one", () => {
  const discovery = () => ({
    issuer: login.platform.url,
    authorization_endpoint: `${login.platform.url}/authorize`,
    token_endpoint: `${login.platform.url}/token`,
    device_authorization_endpoint: `${login.platform.url}/device_authorization`,
    revocation_endpoint: `${login.platform.url}/revoke`,
  });

  it.each([
    ["a page", () => "<html>", "does not return a discovery document (HTTP 200)"],
    ["a list", () => "[]", "does not return a discovery document"],
    ["a huge document", () => " ".repeat(300_000), "the response is larger than 262144 bytes"],
    [
      "another issuer",
      () => JSON.stringify({ ...discovery(), issuer: "https://evil.example" }),
      'calls itself "https://evil.example"',
    ],
    [
      "no login",
      () => JSON.stringify({ ...discovery(), authorization_endpoint: undefined }),
      "has no authorization_endpoint. The platform may be older",
    ],
    [
      "an endpoint elsewhere",
      () => JSON.stringify({ ...discovery(), token_endpoint: "https://evil.example/token" }),
      "the token_endpoint in the discovery document",
    ],
    [
      "a page to run",
      () => JSON.stringify({ ...discovery(), authorization_endpoint: "javascript:alert(1)" }),
      "the authorization_endpoint in the discovery document",
    ],
    [
      "an endpoint with a password",
      () => JSON.stringify({ ...discovery(), token_endpoint: discovery().token_endpoint.replace("//", "//a:b@") }),
      "the token_endpoint in",
    ],
  ])("is reported for a discovery document with %s", async (_, document, message) => {
    login.platform.intercept = (_request, response) => {
      response.end(document());
      return true;
    };
    const result = await login.run(...login.arguments);
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  });

  it.each([
    ["nonsense", {}, "does not contain a token"],
    ["no type", { access_token: "a" }, "does not contain a bearer token"],
    ["no lifetime", { access_token: "a", token_type: "Bearer" }, "does not say when the token expires"],
    [
      "a token of several lines",
      { access_token: "a\nb", token_type: "Bearer", expires_in: 1 },
      "does not contain a token",
    ],
    [
      "a huge token",
      { access_token: "a".repeat(20_000), token_type: "Bearer", expires_in: 1 },
      "does not contain a token",
    ],
    [
      "a refresh token that is a number",
      { access_token: "a", token_type: "Bearer", expires_in: 1, refresh_token: 1 },
      "contains an invalid refresh token",
    ],
  ])("is reported for %s instead of tokens", async (_, body, message) => {
    login.platform.intercept = (request, response) => {
      if (request.url !== "/token") return false;
      respond(response, 200, body);
      return true;
    };
    const result = await login.logIn();
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(existsSync(login.path)).toBe(false);
  });
});
