import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, RunningPlatform } from "./running-platform.testing.ts";

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
  it("are made, read, listed and deleted; the client secret is never returned", async () => {
    const made = await make({ description: "d" });
    expect(made).toEqual({
      uid: expect.stringMatching(new RegExp(`^${team}/[0-9a-f]{16}$`)),
      name: "login",
      description: "d",
      defaultRole: viewer,
      oidc: {
        issuer: "https://login.example.com",
        clientId: "muster",
        additionalScopes: [],
        groupsClaim: "",
        pkceEnabled: false,
      },
      createTime: expect.any(String),
      updateTime: made.createTime,
    });
    const read = await platform.admin.get(path(made.uid));
    expect(read.body).toEqual(made);
    const listed = await platform.admin.get(`/iam/v2beta1/identityProviders?uidp.children_of=${team}&name=login`);
    expect(listed.body).toMatchObject({ identityProviders: [made], totalCount: "1" });
    const patched = await platform.admin.patch(path(made.uid), { name: "other" });
    for (const { text } of [read, listed, patched]) expect(text).not.toMatch(/secret/i);
    await platform.admin.ok("DELETE", path(made.uid));
    expect((await platform.admin.get(path(made.uid))).body).toMatchObject({ code: 5 });
  });

  it.each([
    ["no name", { name: "" }, "name"],
    ["no configuration", { oidc: undefined }, "oidc"],
    ["an issuer that is no https URL", { oidc: { ...oidc, issuer: "http://login" } }, "oidc.issuer"],
    ["no client id", { oidc: { ...oidc, clientId: "" } }, "oidc.clientId"],
    ["neither secret nor PKCE", { oidc: { ...oidc, clientSecret: "" } }, "oidc.clientSecret"],
    ["no default role", { defaultRole: "" }, "defaultRole"],
    ["a default role that is no uid", { defaultRole: "viewer" }, "defaultRole"],
    ["an unknown field", { oidc: { ...oidc, nope: 1 } }, "oidc.nope"],
  ])("refuse %s", async (_, body, field) => {
    const answer = await platform.admin.post(path(team), { ...provider(), ...body });
    expect(answer.body).toMatchObject(violation(field));
  });

  it("one of secret and PKCE is required: either is enough", async () => {
    await make({ oidc: { ...oidc, clientSecret: "", pkceEnabled: true } });
    await make({ oidc: { ...oidc, pkceEnabled: true } });
  });

  describe("an empty client secret keeps the old one unless the mask names it", () => {
    // Whether a secret is kept shows by whether PKCE can be given up.
    const hasSecret = async (uid: string) => {
      const { status } = await platform.admin.patch(`${path(uid)}?updateMask=oidc.pkceEnabled`, {
        oidc: { pkceEnabled: false },
      });
      await platform.admin.ok("PATCH", path(uid), { oidc: { pkceEnabled: true } });
      return status === 200;
    };
    const { clientSecret: _, ...withoutSecret } = oidc;

    it.each([
      ["a body with an empty one and no mask", "", { oidc: { clientSecret: "" } }, true],
      ["a body with null and no mask", "", { oidc: { clientSecret: null } }, true],
      ["a body without it", "", { oidc: withoutSecret }, true],
      ["a mask that names the whole configuration", "oidc", { oidc: { ...withoutSecret, pkceEnabled: true } }, true],
      ["a mask that names it", "oidc.clientSecret", {}, false],
      ["a mask that names it in the other spelling", "oidc.client_secret", { oidc: { clientSecret: "" } }, false],
    ])("%s", async (_name, mask, body, kept) => {
      const { uid } = await make({ oidc: { ...oidc, pkceEnabled: true } });
      await platform.admin.ok("PATCH", `${path(uid)}${mask === "" ? "" : `?updateMask=${mask}`}`, body);
      expect(await hasSecret(uid)).toBe(kept);
    });

    it("* is full replacement: what the body omits is reset, and it does not name a client secret", async () => {
      const { uid } = await make({ description: "d" });
      const replaced = await platform.admin.ok("PATCH", `${path(uid)}?updateMask=*`, {
        name: "new",
        defaultRole: viewer,
        oidc: withoutSecret,
      });
      expect(replaced).toMatchObject({ name: "new", description: "" });
      expect(await hasSecret(uid)).toBe(true);
    });
  });

  it("code 3 when the issuer changes and the secret is kept; with a new one it may change", async () => {
    const { uid } = await make();
    const issuer = "https://elsewhere.example.com";
    const patch = (body: object) => platform.admin.patch(path(uid), { oidc: body });
    expect((await patch({ issuer })).body).toMatchObject(violation("oidc.clientSecret"));
    expect((await patch({ issuer, clientSecret: "" })).body).toMatchObject(violation("oidc.clientSecret"));
    expect((await patch({ issuer, clientSecret: "new" })).body).toMatchObject({ oidc: { issuer } });
    const { uid: public_ } = await make({ oidc: { ...oidc, clientSecret: "", pkceEnabled: true } });
    expect((await platform.admin.patch(path(public_), { oidc: { issuer } })).status).toBe(200);
  });

  it("creating or changing a provider needs role_bindings.create too, and every capability of the role", async () => {
    const caps = (...names: string[]) => names.map((name) => `&cap=${name}`).join("");
    const provide = caps("identity_providers.create", "identity_providers.update", "identity_providers.list");
    const denied = { code: 7, details: [{ reason: "PERMISSION_DENIED" }] };
    const puller = await platform.admin.role("registry.pull");
    const pull = caps("groups.list", "repo.list", "tag.list");
    const post = (caller: Client, role: string) => caller.post(path(team), { ...provider(), defaultRole: role });

    const unbinding = await platform.callerWith("owner", team, provide + pull);
    expect((await post(unbinding, puller)).body).toMatchObject(denied);
    const binding = await platform.callerWith("owner", team, `${provide}${pull}&cap=role_bindings.create`);
    expect((await post(binding, viewer)).body).toMatchObject(denied);
    const made = await post(binding, puller);
    expect(made.status).toBe(200);
    expect((await binding.patch(path(made.body.uid), { defaultRole: viewer })).body).toMatchObject(denied);
    expect((await unbinding.patch(path(made.body.uid), { name: "x" })).body).toMatchObject(denied);
    expect((await binding.patch(path(made.body.uid), { name: "x" })).status).toBe(200);
  });

  it("Deleting a role that is a provider's default: 9, RESOURCE_IN_USE", async () => {
    const role = await platform.admin.ok("POST", `/iam/v2beta1/roles/${team}`, {
      name: "r",
      capabilities: ["CAP_REPO_LIST"],
    });
    const { uid } = await make({ defaultRole: role.uid });
    const kept = await platform.admin.delete(`/iam/v2beta1/roles/${role.uid}`);
    expect(kept.body).toMatchObject({ code: 9, details: [{}, { violations: [{ type: "RESOURCE_IN_USE" }] }] });
    await platform.admin.ok("PATCH", path(uid), { defaultRole: viewer });
    await platform.admin.ok("DELETE", `/iam/v2beta1/roles/${role.uid}`);
  });

  it("A custom role binds in its own group's subtree only", async () => {
    const role = await platform.admin.ok("POST", `/iam/v2beta1/roles/${team}`, {
      name: "r",
      capabilities: ["CAP_REPO_LIST"],
    });
    const elsewhere = await platform.admin.post(path(platform.root), { ...provider(), defaultRole: role.uid });
    expect(elsewhere.body).toMatchObject(violation("defaultRole"));
  });
});
