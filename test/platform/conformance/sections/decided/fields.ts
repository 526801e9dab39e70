import { create } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { UIDPFilterSchema } from "#src/platform/gen/muster/platform/common/uidp_pb.ts";
import {
  CreateGroupRequestSchema,
  GroupSchema,
  GroupsService,
  ListGroupsRequestSchema,
} from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import type { Json } from "../../client/api.ts";
import { outcomeOf } from "../../client/rest.ts";
import { equal, has, holds, matches, rejected, Skip, succeeded, violationsOf } from "../../expect.ts";
import { decidedSection, overBoth, overGrpc, overRest, requirement } from "../../requirement.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };
const threeDecimals = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The fields of all resources, and those of groups, roles and role bindings. */
export const fields = decidedSection("Fields", [
  requirement(
    "fields.names",
    "Names match `^[a-z0-9 ._-]{1,}$`.",
    overBoth("identities", async ({ api, group }) => {
      for (const name of ["Upper", "", "a/b"])
        rejected(
          await api.create("identities", group, { name, claimMatch }),
          { code: 3, field: "name" },
          `a Create with the name ${JSON.stringify(name)}`,
        );
    }),
    overBoth("roles", async ({ api, group }) => {
      for (const name of ["Upper", "", "a/b"]) {
        const body = { name, capabilities: ["CAP_REPO_LIST"] };
        rejected(
          await api.create("roles", group, body),
          { code: 3, field: "name" },
          `a Create with the name ${JSON.stringify(name)}`,
        );
      }
    }),
  ),
  requirement(
    "fields.descriptions",
    "A description matches `^[\\S ]{0,512}$`.",
    overBoth("valid descriptions", async (world) => {
      for (const description of ["", "x".repeat(512), 'Übergröße: <b>&amp;</b> "日本" \\ \'']) {
        const made = await world.make("groups", world.group, { name: world.name(), description });
        equal(made.description, description, "the description");
      }
    }),
    overBoth("invalid descriptions", async ({ api, group }) => {
      for (const description of ["x".repeat(513), "two\nlines", "a\ttab"])
        rejected(
          await api.create("groups", group, { name: "a", description }),
          { code: 3, field: "description" },
          "a Create with an invalid description",
        );
    }),
    overBoth("every other resource with a description", async (world) => {
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
        rejected(outcome, { code: 3, field: "description" }, `a Create of ${collection} with an invalid description`);
        const long = { ...body, name: "a", description: "x".repeat(513) };
        rejected(
          await world.api.create(collection, world.group, long),
          { code: 3, field: "description" },
          `a Create of ${collection} with a description that is too long`,
        );
      }
    }),
  ),
  requirement(
    "fields.unknown",
    "An unknown field in a body is code 3 on that field; a platform can ignore the field.",
    overRest("in the resource", async ({ rest, group }) => {
      const outcome = await rest.create("groups", group, { name: "a", nope: 1 });
      if (outcome.ok) has(outcome.body, { name: "a" }, "the group if the field is ignored");
      else rejected(outcome, { code: 3, field: "nope" }, "creating a group with an unknown field");
    }),
    overRest("in a nested message", async ({ rest, group }) => {
      const outcome = await rest.create("identities", group, { name: "a", claimMatch: { ...claimMatch, nope: 1 } });
      if (outcome.ok) has(outcome.body, { claimMatch }, "the identity if the field is ignored");
      else
        rejected(outcome, { code: 3, field: "claimMatch.nope" }, "creating an identity with an unknown nested field");
    }),
    overRest("a filter", async (world) => {
      const uid = await world.makeGroup();
      const path = `/iam/v2beta1/groups?uidp.children_of=${world.group}&dragons=1`;
      const outcome = outcomeOf(await world.rest.send("GET", path));
      if (outcome.ok) has(outcome.body, { totalCount: "1" }, `the list with ${uid} if the filter is ignored`);
      else rejected(outcome, { code: 3, field: "dragons" }, "a List with an unknown filter");
      const nested = outcomeOf(await world.rest.send("GET", "/iam/v2beta1/groups?uidp.dragons=1"));
      if (!outcome.ok) rejected(nested, { code: 3, field: "uidp.dragons" }, "a List with an unknown field of uidp");
    }),
    overGrpc("in a resource, and in a filter", async ({ grpc, group, target }) => {
      const bearer = { authorization: `Bearer ${target.token}` };
      const unknown = { $unknown: [{ no: 999, wireType: WireType.LengthDelimited, data: new Uint8Array([1, 7]) }] };
      const made = create(CreateGroupRequestSchema, {
        parent: group,
        group: Object.assign(create(GroupSchema, { name: "a" }), unknown),
      });
      const { createGroup, listGroups } = GroupsService.method;
      const outcome = await grpc.sendMessage(createGroup, made, bearer);
      if (!outcome.ok) rejected(outcome, { code: 3, message: /999/ }, "creating a group with an unknown field");
      // Dropped silently, a filter would return everything.
      const uidp = Object.assign(create(UIDPFilterSchema, { childrenOf: group }), unknown);
      const listed = await grpc.sendMessage(listGroups, create(ListGroupsRequestSchema, { uidp }), bearer);
      equal(listed.ok, outcome.ok, "whether an unknown filter is accepted, as an unknown field is");
      if (!listed.ok) rejected(listed, { code: 3, message: /uidp\.999/ }, "a List with an unknown filter");
    }),
  ),
  requirement(
    "fields.wrong-type",
    "A value of the wrong type is code 3 on its field; a body that is not a JSON object is code 3.",
    overRest(async ({ rest, group }) => {
      rejected(await rest.create("groups", group, { name: 7 }), { code: 3, field: "name" }, "a name that is a number");
      rejected(
        await rest.create("groups", group, { name: "a", verified: "yes" }),
        { code: 3, field: "verified" },
        "a verified that is text",
      );
      const claims = { ...claimMatch, claims: { team: 1 } };
      rejected(
        await rest.create("identities", group, { name: "a", claimMatch: claims }),
        { code: 3, field: "claimMatch.claims.team" },
        "a claim that is a number",
      );
      for (const body of ["[]", "{", '"a"', "7"]) {
        const response = await rest.send("POST", `/iam/v2beta1/groups/${group}`, { body });
        equal(response.status, 400, `the HTTP status with the body ${body}`);
        rejected(outcomeOf(response), { code: 3, field: "body" }, `the body ${body}`);
      }
    }),
  ),
  requirement(
    "fields.zero-values",
    'Zero values are present in responses: `"description":""`, `"verified":false`, `"resourceLimits":{}`.',
    overRest(async ({ rest, group }) => {
      const { text } = await rest.send("POST", `/iam/v2beta1/groups/${group}`, { body: { name: "a" } });
      const body = JSON.parse(text) as Json;
      const { uid, createTime } = body;
      const zeroValues = { description: "", verified: false, resourceLimits: {} };
      equal(body, { uid, name: "a", ...zeroValues, createTime, updateTime: createTime }, "the body");
      const empty = await rest.send("GET", `/iam/v2beta1/groups?uidp.children_of=${uid}`);
      has(JSON.parse(empty.text), { groups: [], totalCount: "0", skipped: 0 }, "an empty list");
    }),
  ),
  requirement(
    "fields.absent",
    "Unset messages are absent, and also `nextPageToken` on the last page and a binding's `identityUid` and `roleUid`.",
    overRest(async (world) => {
      const identityUid = await world.makeIdentity();
      const identity = succeeded(await world.rest.get("identities", identityUid));
      for (const field of ["staticKeys", "awsIdentity"]) equal(field in identity, false, `whether ${field} is present`);
      const binding = await world.make("roleBindings", world.group, {
        identityUid,
        roleUid: await world.builtInRole("viewer"),
      });
      for (const field of ["identityUid", "roleUid", "updateTime"])
        equal(field in binding, false, `whether ${field} is present`);
      const page = succeeded(await world.rest.list("groups", { uidp: { childrenOf: world.group } }));
      equal("nextPageToken" in page, false, "whether nextPageToken is present");
    }),
  ),
  requirement(
    "fields.violation-subject",
    "A violation's empty `subject` is absent.",
    overRest(async (world) => {
      await world.makeGroup();
      const failure = rejected(
        await world.rest.delete("groups", world.group),
        { code: 9 },
        "deleting a group with a child",
      );
      for (const violation of violationsOf(failure, "PreconditionFailure"))
        equal(Object.keys(violation).toSorted(), ["description", "type"], "the fields of the violation");
    }),
  ),
  requirement(
    "fields.timestamps",
    "Timestamps are stored and returned with exactly three decimals.",
    overRest(async (world) => {
      const identity = succeeded(await world.rest.get("identities", await world.makeIdentity()));
      for (const field of ["createTime", "updateTime", "lastSeenTime"]) matches(identity[field], threeDecimals, field);
    }),
  ),
  requirement(
    "fields.read-only",
    "Read-only fields are ignored in a create request.",
    overBoth(async (world) => {
      const made = await world.make("groups", world.group, {
        name: "a",
        uid: "mine",
        createTime: "2001-01-01T00:00:00Z",
      });
      holds(made.uid.startsWith(`${world.group}/`), "the uid", "one assigned by the platform", made.uid);
      holds(!made.createTime.startsWith("2001"), "createTime", "one set by the platform", made.createTime);
    }),
    overRest("even invalid ones", async ({ rest, group }) => {
      succeeded(await rest.create("groups", group, { name: "a", createTime: "never" }), "a Create");
    }),
  ),
  requirement(
    "fields.group.verified",
    "Only the admin can change `verified`; a mask can list it if the value stays the same.",
    overBoth("an owner", async (world) => {
      const { api } = await world.caller("owner");
      const uid = await world.makeGroup();
      rejected(
        await api.update("groups", uid, { verified: true }, ["verified"]),
        { code: 7 },
        "an owner's update of verified",
      );
      rejected(await api.update("groups", uid, { verified: true }), { code: 7 }, "the same update without a mask");
      const same = { verified: false, name: "other" };
      has(succeeded(await api.update("groups", uid, same, ["verified", "name"])), same, "the group");
    }),
    overBoth("the admin", async (world) => {
      const uid = await world.makeGroup();
      const outcome = await world.api.update("groups", uid, { verified: true }, ["verified"]);
      if (!outcome.ok && outcome.failure.code === 7)
        throw new Skip("the token belongs to an owner, not to the platform's admin");
      equal(succeeded(outcome)["verified"], true, "verified");
      // A full replacement keeps it.
      equal(succeeded(await world.api.update("groups", uid, { name: "a" }, ["*"]))["verified"], true, "verified");
      const other = await world.makeGroup();
      equal(succeeded(await world.api.update("groups", other, { verified: true }))["verified"], true, "verified");
    }),
  ),
  requirement(
    "fields.role.capabilities",
    "A role has `capabilities`: names of the enum, at least one on create.",
    overBoth("they are stored and returned", async (world) => {
      const capabilities = ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST"];
      const made = await world.make("roles", world.group, { name: "a", capabilities });
      equal(made["capabilities"], capabilities, "capabilities");
      const repeated = { name: "b", capabilities: [...capabilities, capabilities[0]] };
      const other = await world.make("roles", world.group, repeated);
      equal(other["capabilities"], capabilities, "capabilities of which one was repeated");
    }),
    overBoth("no capability", async ({ api, group }) => {
      rejected(
        await api.create("roles", group, { name: "a" }),
        { code: 3, field: "capabilities" },
        "a role without capabilities",
      );
    }),
    overBoth("an update cannot remove all of them", async (world) => {
      const uid = await world.makeRole(["CAP_REPO_LIST"]);
      for (const [mask, body] of [
        [["capabilities"], {}],
        [["*"], { name: "a" }],
      ] as const)
        rejected(
          await world.api.update("roles", uid, body, mask),
          { code: 3, field: "capabilities" },
          `an update with the mask ${mask.join()}`,
        );
    }),
    overRest("an update to an empty list", async (world) => {
      const outcome = await world.rest.update("roles", await world.makeRole(["CAP_REPO_LIST"]), {
        capabilities: [],
      });
      rejected(outcome, { code: 3, field: "capabilities" }, "an update without a mask");
    }),
    overRest("names that are not in the enum", async ({ rest, group }) => {
      for (const [name, field] of [
        ["repo.list", "capabilities[0]"],
        ["CAP_DRAGONS_LIST", "capabilities[0]"],
        ["UNKNOWN", "capabilities"],
      ] as const)
        rejected(
          await rest.create("roles", group, { name: "a", capabilities: [name] }),
          { code: 3, field },
          `a role with ${name}`,
        );
    }),
  ),
  requirement(
    "fields.role-binding.update",
    "PATCH of a binding can change `identityUid` and `roleUid`, but not the group.",
    overBoth("identity and role", async (world) => {
      const [first, second] = [await world.makeIdentity(), await world.makeIdentity()];
      const [viewer, editor] = [await world.builtInRole("viewer"), await world.builtInRole("editor")];
      const binding = await world.bind(world.group, first, viewer);
      const update = async (body: object) => succeeded(await world.api.update("roleBindings", binding, body));
      has(await update({ identityUid: second }), { identity: { uid: second }, role: { uid: viewer } }, "the binding");
      has(await update({ roleUid: editor }), { identity: { uid: second }, role: { uid: editor } }, "the binding");
    }),
    overBoth("the group", async (world) => {
      const binding = await world.bind(world.group, await world.makeIdentity(), await world.builtInRole("viewer"));
      const other = await world.makeGroup();
      rejected(
        await world.api.update("roleBindings", binding, { group: { uid: other } }, ["group"]),
        { code: 3 },
        "an update of the group",
      );
      const read = succeeded(await world.api.get("roleBindings", binding));
      has(read, { group: { uid: world.group } }, "the binding");
    }),
  ),
]);
