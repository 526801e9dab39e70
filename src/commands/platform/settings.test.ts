import { describe, expect, it } from "vitest";
import { readSettings } from "#src/commands/settings/settings.ts";
import { platformSettings } from "./settings.ts";

describe("the settings of the platform", () => {
  it.each([
    ["--base-url=https://p.example?a", "must not have a query or a fragment"],
    ["--auth-url=https://p.example/auth#a", "must not have a query or a fragment"],
    ["--trusted-issuer=https://i.example?a", "must not have a query"],
    ["--trusted-issuer=https://i.example#a", "must not have a fragment"],
    ["--trusted-issuer=https://me:secret@i.example", "must not contain a user name or password"],
    ["--trusted-issuer=https://i.example,jwks=https://i.example/keys#a", "must not have a fragment"],
    ["--refresh-lifetime=0s", "is shorter than 1s"],
    ["--refresh-lifetime=9000h", "is longer than 8760h"],
    ["--login-lifetime=0s", "is shorter than 1s"],
    ["--public-issuer=http://i.example", "is not an https URL"],
    ["--signing-key-interval=0s", "is shorter than 1h"],
    ["--maximum-issuer-requests=0", "is not a whole number"],
  ])("reject %s", (flag, message) =>
    expect(() => readSettings(platformSettings, ["--data=x", flag], {})).toThrowError(message),
  );

  it("accept an auth URL with a path, and a key set with a query", () => {
    const flags = [
      "--data=x",
      "--auth-url=https://p.example/auth",
      "--trusted-issuer=https://i.example/realm,jwks=https://i.example/keys?version=2",
    ];
    const { authUrl, trustedIssuer } = readSettings(platformSettings, flags, {});
    expect(authUrl?.pathname).toBe("/auth");
    expect(trustedIssuer).toMatchObject([{ jwksUrl: "https://i.example/keys?version=2" }]);
  });
});
