import { equal, has, holds, matches, refused, Skip, succeeded, violationsOf } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };
const threeDecimals = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What holds of the fields of all resources, and of groups, roles and role bindings. */
export const fields: Chapter = {
  title: "Fields",
  origin: "decided",
  sentences: [
    {
      id: "fields.names",
      says: "Names match `^[a-z0-9 ._-]{1,}$`.",
      cases: [
        overBoth("of identities", async ({ api, group }) => {
          for (const name of ["Upper", "", "a/b"])
            refused(
              await api.create("identities", group, { name, claimMatch }),
              { code: 3, field: "name" },
              `one named ${JSON.stringify(name)}`,
            );
        }),
        overBoth("of roles", async ({ api, group }) => {
          for (const name of ["Upper", "", "a/b"]) {
            const body = { name, capabilities: ["CAP_REPO_LIST"] };
            refused(
              await api.create("roles", group, body),
              { code: 3, field: "name" },
              `one named ${JSON.stringify(name)}`,
            );
          }
        }),
      ],
    },
    {
      id: "fields.descriptions",
      says: "A description matches `^[\\S ]{0,512}$`.",
      cases: [
        overBoth("those that do", async (world) => {
          for (const description of ["", "x".repeat(512), 'Übergröße: <b>&amp;</b> "日本" \\ \'']) {
            const made = await world.make("groups", world.group, { name: world.name(), description });
            equal(made.description, description, "the description");
          }
        }),
        overBoth("those that do not", async ({ api, group }) => {
          for (const description of ["x".repeat(513), "two\nlines", "a\ttab"])
            refused(
              await api.create("groups", group, { name: "a", description }),
              { code: 3, field: "description" },
              "one with a wrong description",
            );
        }),
        overBoth("of every other kind that has one", async (world) => {
          const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
          const bodies = {
            identities: { claimMatch },
            roles: { capabilities: ["CAP_REPO_LIST"] },
            identityProviders: { defaultRole: await world.builtInRole("viewer"), oidc },
            accountAssociations: {},
            repos: {},
          };
          for (const [collection, body] of Object.entries(bodies) as [keyof typeof bodies, object][]) {
            const outcome = await world.api.create(collection, world.group, {
              ...body,
              name: "a",
              description: "a\nb",
            });
            if (!outcome.ok && outcome.failure.code === 12) continue;
            refused(outcome, { code: 3, field: "description" }, `one of ${collection} with a wrong description`);
          }
        }),
      ],
    },
    {
      id: "fields.unknown",
      says: "Unknown fields in a body are refused with code 3, naming the field; a platform may ignore them.",
      cases: [
        overRest("of the resource", async ({ rest, group }) => {
          const outcome = await rest.create("groups", group, { name: "a", nope: 1 });
          if (outcome.ok) has(outcome.body, { name: "a" }, "the group, where the field is ignored");
          else refused(outcome, { code: 3, field: "nope" }, "making a group with an unknown field");
        }),
        overRest("of a nested message", async ({ rest, group }) => {
          const outcome = await rest.create("identities", group, { name: "a", claimMatch: { ...claimMatch, nope: 1 } });
          if (outcome.ok) has(outcome.body, { claimMatch }, "the identity, where the field is ignored");
          else
            refused(outcome, { code: 3, field: "claimMatch.nope" }, "making an identity with an unknown nested field");
        }),
      ],
    },
    {
      id: "fields.wrong-type",
      says: "A value that does not fit its field is code 3, naming the field; what is no JSON object is code 3.",
      cases: [
        overRest(async ({ rest, group }) => {
          refused(
            await rest.create("groups", group, { name: 7 }),
            { code: 3, field: "name" },
            "a name that is a number",
          );
          for (const body of ["[]", "{", '"a"', "7"]) {
            const { status, text } = await rest.send("POST", `/iam/v2beta1/groups/${group}`, { body });
            equal(status, 400, `the HTTP status with the body ${body}`);
            has(JSON.parse(text), { code: 3 }, `the answer to the body ${body}`);
          }
        }),
      ],
    },
    {
      id: "fields.zero-values",
      says: 'Zero values are written out: `"description":""`, `"verified":false`, `"resourceLimits":{}`.',
      cases: [
        overRest(async ({ rest, group }) => {
          const { text } = await rest.send("POST", `/iam/v2beta1/groups/${group}`, { body: { name: "a" } });
          const body = JSON.parse(text) as object;
          has(body, { description: "", verified: false, resourceLimits: {} }, "the body");
          const empty = await rest.send("GET", `/iam/v2beta1/groups?uidp.children_of=${(body as { uid: string }).uid}`);
          has(JSON.parse(empty.text), { groups: [], totalCount: "0", skipped: 0 }, "an empty list");
        }),
      ],
    },
    {
      id: "fields.left-out",
      says: "Unset messages are left out, and so are `nextPageToken` on the last page and a binding's `identityUid` and `roleUid`.",
      cases: [
        overRest(async (world) => {
          const identityUid = await world.makeIdentity();
          const identity = succeeded(await world.rest.get("identities", identityUid));
          for (const field of ["staticKeys", "awsIdentity"])
            equal(field in identity, false, `whether ${field} is there`);
          const binding = await world.make("roleBindings", world.group, {
            identityUid,
            roleUid: await world.builtInRole("viewer"),
          });
          for (const field of ["identityUid", "roleUid", "updateTime"])
            equal(field in binding, false, `whether ${field} is there`);
          const page = succeeded(await world.rest.list("groups", { uidp: { childrenOf: world.group } }));
          equal("nextPageToken" in page, false, "whether nextPageToken is there");
        }),
      ],
    },
    {
      id: "fields.violation-subject",
      says: "A violation's empty `subject` is left out.",
      cases: [
        overRest(async (world) => {
          await world.makeGroup();
          const failure = refused(
            await world.rest.delete("groups", world.group),
            { code: 9 },
            "deleting a group with a child",
          );
          for (const violation of violationsOf(failure, "PreconditionFailure"))
            equal(Object.keys(violation).toSorted(), ["description", "type"], "the fields of the violation");
        }),
      ],
    },
    {
      id: "fields.timestamps",
      says: "Timestamps are kept and written with exactly three decimals.",
      cases: [
        overRest(async (world) => {
          const identity = succeeded(await world.rest.get("identities", await world.makeIdentity()));
          for (const field of ["createTime", "updateTime", "lastSeenTime"])
            matches(identity[field], threeDecimals, field);
        }),
      ],
    },
    {
      id: "fields.read-only",
      says: "What the platform sets is ignored in a create request.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("groups", world.group, {
            name: "a",
            uid: "mine",
            createTime: "2001-01-01T00:00:00Z",
            resourceLimits: { clusters: 7 },
          });
          holds(made.uid.startsWith(`${world.group}/`), "the uid", "the platform's own", made.uid);
          holds(!made.createTime.startsWith("2001"), "createTime", "the platform's own", made.createTime);
          equal(made["resourceLimits"], {}, "resourceLimits");
        }),
      ],
    },
    {
      id: "fields.group.verified",
      says: "The admin alone may change `verified`; a mask that names it with the present value is fine.",
      cases: [
        overBoth("an owner", async (world) => {
          const { api } = await world.caller("owner");
          const uid = await world.makeGroup();
          refused(await api.update("groups", uid, { verified: true }, ["verified"]), { code: 7 }, "an owner's change");
          const same = { verified: false, name: "other" };
          has(succeeded(await api.update("groups", uid, same, ["verified", "name"])), same, "the group");
        }),
        overBoth("the admin", async (world) => {
          const uid = await world.makeGroup();
          const outcome = await world.api.update("groups", uid, { verified: true }, ["verified"]);
          if (!outcome.ok && outcome.failure.code === 7)
            throw new Skip("the token is of an owner, not of the platform's admin");
          equal(succeeded(outcome)["verified"], true, "verified");
          // A full replacement leaves it alone.
          equal(succeeded(await world.api.update("groups", uid, { name: "a" }, ["*"]))["verified"], true, "verified");
        }),
      ],
    },
    {
      id: "fields.role.capabilities",
      says: "A role has `capabilities`: at least one on create; names of the enum.",
      cases: [
        overBoth("they are kept", async (world) => {
          const capabilities = ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST"];
          const made = await world.make("roles", world.group, { name: "a", capabilities });
          equal(made["capabilities"], capabilities, "capabilities");
        }),
        overBoth("none", async ({ api, group }) => {
          refused(
            await api.create("roles", group, { name: "a" }),
            { code: 3, field: "capabilities" },
            "a role without",
          );
        }),
        overRest("names that are not in the enum", async ({ rest, group }) => {
          for (const name of ["repo.list", "CAP_DRAGONS_LIST"])
            refused(
              await rest.create("roles", group, { name: "a", capabilities: [name] }),
              { code: 3 },
              `a role with ${name}`,
            );
        }),
      ],
    },
    {
      id: "fields.role-binding.update",
      says: "PATCH of a binding may change `identityUid` and `roleUid`; the group never changes.",
      cases: [
        overBoth("identity and role", async (world) => {
          const [first, second] = [await world.makeIdentity(), await world.makeIdentity()];
          const [viewer, editor] = [await world.builtInRole("viewer"), await world.builtInRole("editor")];
          const binding = await world.bind(world.group, first, viewer);
          const update = async (body: object) => succeeded(await world.api.update("roleBindings", binding, body));
          has(
            await update({ identityUid: second }),
            { identity: { uid: second }, role: { uid: viewer } },
            "the binding",
          );
          has(await update({ roleUid: editor }), { identity: { uid: second }, role: { uid: editor } }, "the binding");
        }),
        overBoth("the group", async (world) => {
          const binding = await world.bind(world.group, await world.makeIdentity(), await world.builtInRole("viewer"));
          const other = await world.makeGroup();
          refused(
            await world.api.update("roleBindings", binding, { group: { uid: other } }, ["group"]),
            { code: 3 },
            "an update of the group",
          );
          const read = succeeded(await world.api.get("roleBindings", binding));
          has(read, { group: { uid: world.group } }, "the binding");
        }),
      ],
    },
  ],
};
