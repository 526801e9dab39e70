import { equal, has, matches, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overGrpc, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";

const issuer = "https://login.example.com";
const secret = "not to be told";
const usual = { issuer, clientId: "a client", pkceEnabled: true };

const bodyOf = async (world: World, oidc: object = usual) => ({
  name: world.name(),
  defaultRole: await world.builtInRole("viewer"),
  oidc,
});

const make = async (world: World, oidc?: object) =>
  world.make("identityProviders", world.group, await bodyOf(world, oidc));

const wrong = async (world: World, change: object, field: string) => {
  const body = { ...(await bodyOf(world)), ...change };
  refused(await world.api.create("identityProviders", world.group, body), { code: 3, field }, "making a provider");
};

/** Without PKCE a provider needs its secret, so this succeeds where the platform has one. */
const withoutPkce = (world: World, uid: string) =>
  world.api.update("identityProviders", uid, { oidc: { pkceEnabled: false } }, ["oidc.pkce_enabled"]);

const hasSecret = async (world: World, uid: string, what: string) =>
  void succeeded(await withoutPkce(world, uid), `doing without PKCE ${what}`);

const hasNoSecret = async (world: World, uid: string, what: string) =>
  void refused(await withoutPkce(world, uid), { code: 3, field: "oidc.clientSecret" }, `doing without PKCE ${what}`);

/** Identity providers: their fields and their secret. */
export const identityProviders: Chapter = {
  title: "Identity providers",
  origin: "decided",
  sentences: [
    {
      id: "providers.uid",
      says: "An identity provider's uid is its group's uid, `/` and 16 lowercase hex digits.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await make(world);
          equal(uid.slice(0, world.group.length), world.group, "the group's part of the uid");
          matches(uid.slice(world.group.length), /^\/[0-9a-f]{16}$/, "its own part");
        }),
      ],
    },
    {
      id: "providers.fields",
      says: "Fields: uid, name, description, defaultRole (a role's uid), createTime, updateTime, oidc {issuer, clientId, clientSecret, additionalScopes, groupsClaim, pkceEnabled}.",
      cases: [
        overBoth("they are kept", async (world) => {
          const defaultRole = await world.makeRole(["CAP_REPO_LIST"]);
          const oidc = { ...usual, additionalScopes: ["groups", "email"], groupsClaim: "roles" };
          const body = { name: "login", description: "d", defaultRole, oidc };
          const made = await world.make("identityProviders", world.group, body);
          has(made, body, "the provider that was made");
          equal(succeeded(await world.api.get("identityProviders", made.uid)), made, "the provider as it is read");
        }),
        overRest("zero values are written out", async (world) => {
          const made = await make(world, { issuer, clientId: "c", clientSecret: secret });
          const { uid, name, createTime, updateTime, defaultRole } = made;
          const oidc = { issuer, clientId: "c", additionalScopes: [], groupsClaim: "", pkceEnabled: false };
          const all = { uid, name, description: "", defaultRole, oidc, createTime, updateTime };
          equal(made, all, "the provider");
        }),
      ],
    },
    {
      id: "providers.required",
      says: "`name`, `defaultRole`, `oidc.issuer` and `oidc.clientId` are required.",
      cases: [
        overBoth(async (world) => {
          await wrong(world, { name: "" }, "name");
          await wrong(world, { name: "Upper" }, "name");
          await wrong(world, { defaultRole: "" }, "defaultRole");
          await wrong(world, { oidc: { ...usual, issuer: "" } }, "oidc.issuer");
          await wrong(world, { oidc: { ...usual, clientId: "" } }, "oidc.clientId");
          equal(await world.rows("identityProviders", { uidp: { childrenOf: world.group } }), [], "what was made");
        }),
      ],
    },
    {
      id: "providers.default-role",
      says: "A `defaultRole` that is malformed or no role's uid is code 3.",
      cases: [
        overBoth(async (world) => {
          await wrong(world, { defaultRole: "nonsense" }, "defaultRole");
          await wrong(world, { defaultRole: await world.makeIdentity() }, "defaultRole");
          await wrong(world, { defaultRole: world.group }, "defaultRole");
        }),
      ],
    },
    {
      id: "providers.secret-or-pkce",
      says: "One of `clientSecret` and `pkceEnabled` is required.",
      cases: [
        overBoth("neither", (world) => wrong(world, { oidc: { issuer, clientId: "c" } }, "oidc.clientSecret")),
        overBoth("one, or both", async (world) => {
          await make(world, { issuer, clientId: "c", pkceEnabled: true });
          await make(world, { issuer, clientId: "c", clientSecret: secret });
          await make(world, { ...usual, clientSecret: secret });
        }),
        overBoth("neither is left", async (world) => hasNoSecret(world, (await make(world)).uid, "or a secret")),
      ],
    },
    {
      id: "providers.secret-never-returned",
      says: "`clientSecret` is never returned.",
      cases: [
        overBoth(async (world) => {
          const made = await make(world, { ...usual, clientSecret: secret });
          const updated = await world.api.update("identityProviders", made.uid, { oidc: { clientSecret: secret } });
          const answers = {
            Create: made,
            Get: succeeded(await world.api.get("identityProviders", made.uid)),
            List: succeeded(await world.api.list("identityProviders", { uidp: { childrenOf: world.group } })),
            Update: succeeded(updated),
          };
          for (const [method, answer] of Object.entries(answers))
            equal(JSON.stringify(answer).includes(secret), false, `whether the secret is in the answer to ${method}`);
        }),
        overRest("its field is left out", async (world) => {
          const made = await make(world, { ...usual, clientSecret: secret });
          for (const answer of [made, succeeded(await world.rest.get("identityProviders", made.uid))])
            equal("clientSecret" in (answer["oidc"] as object), false, "whether clientSecret is there");
        }),
      ],
    },
    {
      id: "providers.secret-kept",
      says: "An empty `clientSecret` keeps the old one, unless the mask names it.",
      cases: [
        overBoth("where nothing is said of it", async (world) => {
          const { uid } = await make(world, { ...usual, clientSecret: secret });
          succeeded(await world.api.update("identityProviders", uid, { name: "other" }));
          await hasSecret(world, uid, "after an update of the name");
        }),
        overRest("where it is empty in the body", async (world) => {
          const { uid } = await make(world, { ...usual, clientSecret: secret });
          succeeded(await world.rest.update("identityProviders", uid, { oidc: { clientId: "d", clientSecret: "" } }));
          await hasSecret(world, uid, "after an update with an empty secret");
        }),
        overBoth("where the mask names it", async (world) => {
          const { uid } = await make(world, { ...usual, clientSecret: secret });
          const update = world.api.update("identityProviders", uid, { oidc: {} }, ["oidc.client_secret"]);
          succeeded(await update, "an update with the secret in the mask and not in the body");
          await hasNoSecret(world, uid, "after its secret is cleared");
        }),
        overBoth("where one is given", async (world) => {
          const { uid } = await make(world);
          succeeded(await world.api.update("identityProviders", uid, { oidc: { clientSecret: secret } }));
          await hasSecret(world, uid, "after a secret is given");
        }),
      ],
    },
    {
      id: "providers.secret-and-star",
      says: "The mask `*` does not name the client secret: full replacement without one keeps it.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await make(world, { ...usual, clientSecret: secret, groupsClaim: "g" });
          const body = await bodyOf(world);
          const replaced = succeeded(await world.api.update("identityProviders", uid, body, ["*"]));
          has(replaced, { name: body.name, description: "", oidc: { ...usual, groupsClaim: "" } }, "the provider");
          await hasSecret(world, uid, "after a full replacement");
        }),
      ],
    },
    {
      id: "providers.secret-and-issuer",
      says: "Changing the issuer while the secret is kept is code 3.",
      cases: [
        overBoth("with the old secret", async (world) => {
          const { uid } = await make(world, { ...usual, clientSecret: secret });
          const oidc = { issuer: "https://other.example.com" };
          const refusal = { code: 3, field: "oidc.clientSecret" };
          refused(await world.api.update("identityProviders", uid, { oidc }), refusal, "an update of the issuer");
          const read = succeeded(await world.api.get("identityProviders", uid));
          has(read, { oidc: { issuer } }, "the provider as it is read");
        }),
        overBoth("with a new secret, or without any", async (world) => {
          const oidc = { issuer: "https://other.example.com" };
          const confidential = await make(world, { ...usual, clientSecret: secret });
          const both = { oidc: { ...oidc, clientSecret: "another" } };
          has(succeeded(await world.api.update("identityProviders", confidential.uid, both)), { oidc }, "the provider");
          const open = await make(world);
          has(succeeded(await world.api.update("identityProviders", open.uid, { oidc })), { oidc }, "the provider");
        }),
      ],
    },
    {
      id: "providers.update",
      says: "An update changes the fields that the mask lists, or that are present, nested ones too; lists are replaced whole.",
      cases: [
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
        overBoth("what is required is not reset", async (world) => {
          const { uid } = await make(world);
          for (const [path, field] of Object.entries({
            name: "name",
            default_role: "defaultRole",
            "oidc.issuer": "oidc.issuer",
            "oidc.client_id": "oidc.clientId",
          }))
            refused(
              await world.api.update("identityProviders", uid, {}, [path]),
              { code: 3, field },
              `resetting ${path}`,
            );
        }),
        overBoth("what the platform sets", async (world) => {
          const { uid } = await make(world);
          for (const path of ["uid", "create_time", "update_time"])
            refused(
              await world.api.update("identityProviders", uid, {}, [path]),
              { code: 3, field: "update_mask" },
              `an update of ${path}`,
            );
        }),
        overGrpc("a value that is the default needs a mask", async (world) => {
          const { uid } = await make(world, { ...usual, clientSecret: secret });
          const oidc = { pkceEnabled: false };
          const without = succeeded(await world.grpc.update("identityProviders", uid, { oidc }));
          has(without, { oidc: { pkceEnabled: true } }, "the provider after an update without a mask");
        }),
      ],
    },
    {
      id: "providers.filter",
      says: "Filter of a List: `name`.",
      cases: [
        overBoth(async (world) => {
          const [one, other] = [await make(world), await make(world)];
          const uidp = { childrenOf: world.group };
          equal(await world.rows("identityProviders", { uidp, name: one.name }), [one], "those of a name");
          const inOrder = [one, other].toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
          equal(await world.rows("identityProviders", { uidp }), inOrder, "all of the group, by uid");
        }),
      ],
    },
    {
      id: "providers.missing",
      says: "A missing provider is code 5, and so is a second DELETE.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await make(world);
          succeeded(await world.api.delete("identityProviders", uid), "the first time");
          refused(
            await world.api.delete("identityProviders", uid),
            { code: 5, reason: "NOT_FOUND" },
            "the second time",
          );
          refused(await world.api.get("identityProviders", uid), { code: 5, reason: "NOT_FOUND" }, "reading it");
          refused(await world.api.update("identityProviders", uid, {}), { code: 5 }, "an update of it");
          refused(await world.api.get("identityProviders", world.group), { code: 5 }, "reading a group as one");
        }),
      ],
    },
  ],
};
