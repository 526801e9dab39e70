import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let viewer: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
  viewer = await platform.admin.role("viewer");
});
afterAll(() => platform.stop());

const path = (uid: string) => `/iam/v2beta1/identityProviders/${uid}`;
const secret = "a very secret secret";
const oidc = { issuer: "https://login.example.com", clientId: "muster", clientSecret: secret };
const provider = () => ({ name: "login", defaultRole: viewer, oidc });
const make = (body: object = {}) => platform.admin.ok("POST", path(team), { ...provider(), ...body });
const violation = (field: string) => ({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });

describe("identity providers", () => {
  it.each([
    ["no configuration", { oidc: undefined }, "oidc"],
    ["an issuer that is not an https URL", { oidc: { ...oidc, issuer: "http://login" } }, "oidc.issuer"],
    ["an unknown field", { oidc: { ...oidc, nope: 1 } }, "oidc.nope"],
  ])("reject %s", async (_, body, field) => {
    const response = await platform.admin.post(path(team), { ...provider(), ...body });
    expect(response.body).toMatchObject(violation(field));
  });

  describe("an empty client secret keeps the current one unless the mask lists it", () => {
    // PKCE can be disabled if and only if there is a secret.
    const hasSecret = async (uid: string) => {
      const { status } = await platform.admin.patch(`${path(uid)}?updateMask=oidc.pkceEnabled`, {
        oidc: { pkceEnabled: false },
      });
      await platform.admin.ok("PATCH", path(uid), { oidc: { pkceEnabled: true } });
      return status === 200;
    };
    const { clientSecret: _, ...withoutSecret } = oidc;

    it.each([
      ["a body with null and no mask", "", { oidc: { clientSecret: null } }, true],
      ["a body without it", "", { oidc: withoutSecret }, true],
      ["a mask that lists the whole configuration", "oidc", { oidc: { ...withoutSecret, pkceEnabled: true } }, true],
      ["a mask that lists it", "oidc.clientSecret", {}, false],
    ])("%s", async (_name, mask, body, kept) => {
      const { uid } = await make({ oidc: { ...oidc, pkceEnabled: true } });
      await platform.admin.ok("PATCH", `${path(uid)}${mask === "" ? "" : `?updateMask=${mask}`}`, body);
      expect(await hasSecret(uid)).toBe(kept);
    });
  });
});
