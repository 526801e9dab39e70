import { equal, has, isChild, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overGrpc, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { rejectsMaskPaths } from "./rejected-mask-paths.ts";

const issuer = "https://login.example.com";
const secret = "client secret";
const usual = { issuer, clientId: "a client", pkceEnabled: true };

const bodyOf = async (world: World, oidc: object = usual) => ({
  name: world.name(),
  defaultRole: await world.builtInRole("viewer"),
  oidc,
});

const make = async (world: World, oidc?: object) =>
  world.make("identityProviders", world.group, await bodyOf(world, oidc));

const isRejected = async (world: World, change: object, field: string) => {
  const body = { ...(await bodyOf(world)), ...change };
  rejected(
    await world.api.create("identityProviders", world.group, body),
    { code: 3, field },
    "a Create of a provider",
  );
};

/** Disables PKCE, which succeeds if and only if the provider has a secret. */
const disablePkce = (world: World, uid: string) =>
  world.api.update("identityProviders", uid, { oidc: { pkceEnabled: false } }, ["oidc.pkce_enabled"]);

const expectSecret = async (world: World, uid: string, what: string) =>
  void succeeded(await disablePkce(world, uid), `disabling PKCE ${what}`);

const expectNoSecret = async (world: World, uid: string, what: string) =>
  void rejected(await disablePkce(world, uid), { code: 3, field: "oidc.clientSecret" }, `disabling PKCE ${what}`);

/** Identity providers: their fields and their client secret. */
export const identityProviders = decidedSection("Identity providers", [
  requirement(
    "providers.uid",
    "An identity provider's uid is its group's uid, `/` and 16 lowercase hex digits.",
    overBoth(async (world) => {
      const { uid } = await make(world);
      isChild(uid, world.group);
    }),
  ),
  requirement(
    "providers.fields",
    "Fields: uid, name, description, defaultRole (a role's uid), createTime, updateTime, oidc {issuer, clientId, clientSecret, additionalScopes, groupsClaim, pkceEnabled}.",
    overBoth("they are stored and returned", async (world) => {
      const defaultRole = await world.makeRole(["CAP_REPO_LIST"]);
      const oidc = { ...usual, additionalScopes: ["groups", "email"], groupsClaim: "roles" };
      const body = { name: "login", description: "d", defaultRole, oidc };
      const made = await world.make("identityProviders", world.group, body);
      has(made, body, "the created provider");
      equal(succeeded(await world.api.get("identityProviders", made.uid)), made, "the provider that Get returns");
    }),
    overRest("zero values are present", async (world) => {
      const made = await make(world, { issuer, clientId: "c", clientSecret: secret });
      const { uid, name, createTime, updateTime, defaultRole } = made;
      const oidc = { issuer, clientId: "c", additionalScopes: [], groupsClaim: "", pkceEnabled: false };
      const all = { uid, name, description: "", defaultRole, oidc, createTime, updateTime };
      equal(made, all, "the provider");
    }),
  ),
  requirement(
    "providers.required",
    "`name`, `defaultRole`, `oidc.issuer` and `oidc.clientId` are required.",
    overBoth(async (world) => {
      await isRejected(world, { name: "" }, "name");
      await isRejected(world, { name: "Upper" }, "name");
      await isRejected(world, { defaultRole: "" }, "defaultRole");
      await isRejected(world, { oidc: { ...usual, issuer: "" } }, "oidc.issuer");
      await isRejected(world, { oidc: { ...usual, clientId: "" } }, "oidc.clientId");
      const { oidc: _, ...rest } = await bodyOf(world);
      const without = await world.api.create("identityProviders", world.group, rest);
      rejected(without, { code: 3, field: "oidc" }, "a Create without a configuration");
      equal(await world.list("identityProviders", { uidp: { childrenOf: world.group } }), [], "the created resources");
    }),
  ),
  requirement(
    "providers.default-role",
    "A `defaultRole` that is malformed or not the uid of a role is code 3.",
    overBoth(async (world) => {
      await isRejected(world, { defaultRole: "nonsense" }, "defaultRole");
      await isRejected(world, { defaultRole: await world.makeIdentity() }, "defaultRole");
      await isRejected(world, { defaultRole: world.group }, "defaultRole");
    }),
  ),
  requirement(
    "providers.secret-or-pkce",
    "One of `clientSecret` and `pkceEnabled` is required.",
    overBoth("neither on create", (world) =>
      isRejected(world, { oidc: { issuer, clientId: "c" } }, "oidc.clientSecret"),
    ),
    overBoth("one or both", async (world) => {
      await make(world, { issuer, clientId: "c", pkceEnabled: true });
      await make(world, { issuer, clientId: "c", clientSecret: secret });
      await make(world, { ...usual, clientSecret: secret });
    }),
    overBoth("neither after an update", async (world) =>
      expectNoSecret(world, (await make(world)).uid, "of a provider without a secret"),
    ),
    overBoth("clearing the secret of a provider without PKCE", async (world) => {
      const { uid } = await make(world, { issuer, clientId: "c", clientSecret: secret });
      const update = await world.api.update("identityProviders", uid, {}, ["oidc.client_secret"]);
      rejected(update, { code: 3, field: "oidc.clientSecret" }, "an update");
    }),
  ),
  requirement(
    "providers.secret-never-returned",
    "`clientSecret` is never returned.",
    overBoth(async (world) => {
      const made = await make(world, { ...usual, clientSecret: secret });
      const updated = await world.api.update("identityProviders", made.uid, { oidc: { clientSecret: secret } });
      const responses = {
        Create: made,
        Get: succeeded(await world.api.get("identityProviders", made.uid)),
        List: succeeded(await world.api.list("identityProviders", { uidp: { childrenOf: world.group } })),
        Update: succeeded(updated),
      };
      for (const [method, response] of Object.entries(responses))
        equal(JSON.stringify(response).includes(secret), false, `whether the secret is in the response to ${method}`);
    }),
    overRest("the field is absent", async (world) => {
      const made = await make(world, { ...usual, clientSecret: secret });
      for (const response of [made, succeeded(await world.rest.get("identityProviders", made.uid))])
        equal("clientSecret" in (response["oidc"] as object), false, "whether clientSecret is present");
    }),
  ),
  requirement(
    "providers.secret-kept",
    "An empty `clientSecret` keeps the current one, unless the mask lists the field.",
    overBoth("absent from the body", async (world) => {
      const { uid } = await make(world, { ...usual, clientSecret: secret });
      succeeded(await world.api.update("identityProviders", uid, { name: "other" }));
      await expectSecret(world, uid, "after an update of the name");
    }),
    overRest("empty in the body", async (world) => {
      const { uid } = await make(world, { ...usual, clientSecret: secret });
      succeeded(await world.rest.update("identityProviders", uid, { oidc: { clientId: "d", clientSecret: "" } }));
      await expectSecret(world, uid, "after an update with an empty secret");
    }),
    overRest("null in the body, or in a configuration that the mask lists as a whole", async (world) => {
      const { uid } = await make(world, { ...usual, clientSecret: secret });
      succeeded(await world.rest.update("identityProviders", uid, { oidc: { clientSecret: null } }));
      await expectSecret(world, uid, "after an update with null");
      succeeded(await world.rest.update("identityProviders", uid, { oidc: usual }, ["oidc"]));
      await expectSecret(world, uid, "after an update of the whole configuration");
    }),
    overBoth("listed by the mask", async (world) => {
      const { uid } = await make(world, { ...usual, clientSecret: secret });
      const update = world.api.update("identityProviders", uid, { oidc: {} }, ["oidc.client_secret"]);
      succeeded(await update, "an update with the secret in the mask and not in the body");
      await expectNoSecret(world, uid, "after the secret was cleared");
    }),
    overBoth("present in the body", async (world) => {
      const { uid } = await make(world);
      succeeded(await world.api.update("identityProviders", uid, { oidc: { clientSecret: secret } }));
      await expectSecret(world, uid, "after a secret was set");
    }),
  ),
  requirement(
    "providers.secret-and-star",
    "The mask `*` does not include the client secret: a full replacement without a secret keeps the current one.",
    overBoth(async (world) => {
      const { uid } = await make(world, { ...usual, clientSecret: secret, groupsClaim: "g" });
      const body = await bodyOf(world);
      const replaced = succeeded(await world.api.update("identityProviders", uid, body, ["*"]));
      has(replaced, { name: body.name, description: "", oidc: { ...usual, groupsClaim: "" } }, "the provider");
      await expectSecret(world, uid, "after a full replacement");
    }),
  ),
  requirement(
    "providers.secret-and-issuer",
    "Changing the issuer while keeping the secret is code 3.",
    overBoth("with the current secret", async (world) => {
      const { uid } = await make(world, { ...usual, clientSecret: secret });
      const oidc = { issuer: "https://other.example.com" };
      const error = { code: 3, field: "oidc.clientSecret" };
      rejected(await world.api.update("identityProviders", uid, { oidc }), error, "an update of the issuer");
      const read = succeeded(await world.api.get("identityProviders", uid));
      has(read, { oidc: { issuer } }, "the provider that Get returns");
    }),
    overRest("with an empty secret", async (world) => {
      const { uid } = await make(world, { ...usual, clientSecret: secret });
      const oidc = { issuer: "https://other.example.com", clientSecret: "" };
      const error = { code: 3, field: "oidc.clientSecret" };
      rejected(await world.rest.update("identityProviders", uid, { oidc }), error, "an update of the issuer");
    }),
    overBoth("with a new secret, or without a secret", async (world) => {
      const oidc = { issuer: "https://other.example.com" };
      const confidential = await make(world, { ...usual, clientSecret: secret });
      const both = { oidc: { ...oidc, clientSecret: "another" } };
      has(succeeded(await world.api.update("identityProviders", confidential.uid, both)), { oidc }, "the provider");
      const open = await make(world);
      has(succeeded(await world.api.update("identityProviders", open.uid, { oidc })), { oidc }, "the provider");
    }),
    overBoth("with a mask that removes the secret", async (world) => {
      const { uid } = await make(world, { ...usual, clientSecret: secret });
      const oidc = { issuer: "https://other.example.com", clientId: "c", pkceEnabled: true };
      const mask = ["oidc", "oidc.client_secret"];
      has(succeeded(await world.api.update("identityProviders", uid, { oidc }, mask)), { oidc }, "the provider");
    }),
  ),
  requirement(
    "providers.update",
    "An update changes the fields that the mask lists, or without a mask those present, also in nested messages; lists are replaced as a whole.",
    overBoth("a nested field", async (world) => {
      const { uid } = await make(world, { ...usual, additionalScopes: ["a", "b"], groupsClaim: "g" });
      const body = { oidc: { clientId: "ignored", groupsClaim: "h" } };
      const updated = succeeded(await world.api.update("identityProviders", uid, body, ["oidc.groups_claim"]));
      has(updated, { oidc: { ...usual, additionalScopes: ["a", "b"], groupsClaim: "h" } }, "the provider");
    }),
    overBoth("without a mask", async (world) => {
      const { uid, name } = await make(world, { ...usual, additionalScopes: ["a", "b"], groupsClaim: "g" });
      const body = { description: "d", oidc: { additionalScopes: ["c"] } };
      const updated = succeeded(await world.api.update("identityProviders", uid, body));
      const oidc = { ...usual, additionalScopes: ["c"], groupsClaim: "g" };
      has(updated, { name, description: "d", oidc }, "the provider");
    }),
    overBoth("required fields cannot be reset", async (world) => {
      const { uid } = await make(world);
      for (const [path, field] of Object.entries({
        name: "name",
        default_role: "defaultRole",
        "oidc.issuer": "oidc.issuer",
        "oidc.client_id": "oidc.clientId",
      }))
        rejected(await world.api.update("identityProviders", uid, {}, [path]), { code: 3, field }, `resetting ${path}`);
    }),
    overBoth("read-only fields", async (world) => {
      const { uid } = await make(world);
      await rejectsMaskPaths(world, "identityProviders", uid, ["uid", "create_time", "update_time"]);
    }),
    overGrpc("a default value needs a mask", async (world) => {
      const { uid } = await make(world, { ...usual, clientSecret: secret });
      const oidc = { pkceEnabled: false };
      const without = succeeded(await world.grpc.update("identityProviders", uid, { oidc }));
      has(without, { oidc: { pkceEnabled: true } }, "the provider after an update without a mask");
    }),
  ),
  requirement(
    "providers.filter",
    "Filter of a List: `name`.",
    overBoth(async (world) => {
      const [one, other] = [await make(world), await make(world)];
      const uidp = { childrenOf: world.group };
      equal(await world.list("identityProviders", { uidp, name: one.name }), [one], "the providers with the name");
      const inOrder = [one, other].toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
      equal(await world.list("identityProviders", { uidp }), inOrder, "all providers of the group, ordered by uid");
    }),
  ),
  requirement(
    "providers.missing",
    "A missing provider is code 5, and so is a second Delete.",
    overBoth(async (world) => {
      const { uid } = await make(world);
      succeeded(await world.api.delete("identityProviders", uid), "the first Delete");
      rejected(await world.api.delete("identityProviders", uid), { code: 5, reason: "NOT_FOUND" }, "the second Delete");
      rejected(await world.api.get("identityProviders", uid), { code: 5, reason: "NOT_FOUND" }, "a Get");
      rejected(await world.api.update("identityProviders", uid, {}), { code: 5 }, "an Update");
      rejected(await world.api.get("identityProviders", world.group), { code: 5 }, "a Get of a group's uid");
    }),
  ),
]);
