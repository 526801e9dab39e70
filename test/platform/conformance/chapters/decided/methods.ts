import { RoleBindingsService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { IdentitiesService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import type { Json, Method } from "../../client/api.ts";
import { type CollectionName, collections } from "../../client/collections.ts";
import { equal, has, holds, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

const batchCreate: Method = {
  http: { verb: "POST", path: "/iam/v2beta1/roleBindings:batchCreate" },
  rpc: RoleBindingsService.method.batchCreateRoleBindings,
};
const lookup: Method = {
  http: { verb: "GET", path: "/iam/v2beta1/identities:lookupIdentity" },
  rpc: IdentitiesService.method.lookupIdentity,
};

/** Methods and paths. */
export const methods: Chapter = {
  title: "Methods and paths",
  origin: "decided",
  sentences: [
    {
      id: "methods.pattern",
      says: "Every resource X: `GET /X`, `GET /X/{uid}`, `POST /X/{parent uid}`, `PATCH /X/{uid}`, `DELETE /X/{uid}`.",
      cases: [
        overBoth("of a role, whose paths the contract does not show", async (world) => {
          const body = { name: "reader", description: "d", capabilities: ["CAP_REPO_LIST"] };
          const made = await world.make("roles", world.group, body);
          has(made, body, "the role that was made");
          equal(succeeded(await world.api.get("roles", made.uid)), made, "the role as it is read");
          equal(await world.rows("roles", { uidp: { childrenOf: world.group } }), [made], "the group's roles");
          has(
            succeeded(await world.api.update("roles", made.uid, { name: "other" })),
            { name: "other", description: "d" },
            "the role after an update",
          );
          succeeded(await world.api.delete("roles", made.uid));
          refused(await world.api.get("roles", made.uid), { code: 5 }, "reading it after its deletion");
        }),
        overBoth("of a role binding", async (world) => {
          const binding = await world.bind(world.group, await world.makeIdentity(), await world.builtInRole("viewer"));
          has(succeeded(await world.api.get("roleBindings", binding)), { uid: binding }, "the binding as it is read");
          const roleUid = await world.builtInRole("editor");
          const updated = succeeded(await world.api.update("roleBindings", binding, { roleUid }));
          has(updated, { uid: binding, role: { uid: roleUid } }, "the binding after an update");
        }),
      ],
    },
    {
      id: "methods.bare-body",
      says: "The body of a request, and of an answer, is the bare resource.",
      cases: [
        overRest(async ({ rest, group }) => {
          const { status, text } = await rest.send("POST", `/iam/v2beta1/groups/${group}`, { body: { name: "a" } });
          equal(status, 200, "the HTTP status");
          has(JSON.parse(text), { name: "a" }, "the body of the answer");
        }),
      ],
    },
    {
      id: "methods.delete-answer",
      says: "A successful DELETE answers 200 with no body at all; a platform may answer `{}`.",
      cases: [
        overRest(async (world) => {
          const { status, text } = await world.rest.send("DELETE", `/iam/v2beta1/groups/${await world.makeGroup()}`);
          equal(status, 200, "the HTTP status");
          holds(["", "{}"].includes(text), "the body", "nothing, or {}", text);
        }),
      ],
    },
    {
      id: "methods.collections",
      says: "The collections' names are those of their list arrays.",
      cases: [
        overBoth(async ({ api, group }) => {
          for (const name of Object.keys(collections) as CollectionName[]) {
            const page = succeeded(await api.list(name, { uidp: { descendantsOf: group } }), `a List of ${name}`);
            equal(page[name], [], `the array ${name} of an empty group`);
          }
        }),
      ],
    },
    {
      id: "methods.batch-create",
      says: "`POST /iam/v2beta1/roleBindings:batchCreate` makes at most 25 bindings.",
      cases: [
        overBoth("several at once", async (world) => {
          const roleUid = await world.builtInRole("viewer");
          const identities = [await world.makeIdentity(), await world.makeIdentity()];
          const requests = identities.map((identityUid) => ({
            parent: world.group,
            roleBinding: { identityUid, roleUid },
          }));
          const made = succeeded(await world.api.call(batchCreate, { parent: world.group, requests }));
          const bindings = made["roleBindings"] as readonly { identity: Json; role: Json }[];
          equal(
            bindings.map(({ identity }) => identity.uid),
            identities,
            "the identities of the bindings",
          );
          equal(
            bindings.map(({ role }) => role.uid),
            [roleUid, roleUid],
            "the roles of the bindings",
          );
          equal(
            (await world.rows("roleBindings", { uidp: { childrenOf: world.group } })).length,
            2,
            "how many there are",
          );
        }),
        overBoth("one role for all", async (world) => {
          const roleUid = await world.builtInRole("viewer");
          const requests = [{ roleBinding: { identityUid: await world.makeIdentity() } }];
          const made = succeeded(await world.api.call(batchCreate, { parent: world.group, requests, roleUid }));
          has((made["roleBindings"] as object[])[0], { role: { uid: roleUid } }, "the binding");
        }),
        overBoth("more than 25", async (world) => {
          const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
          const requests = Array.from({ length: 26 }, () => ({
            parent: world.group,
            roleBinding: { identityUid, roleUid },
          }));
          refused(await world.api.call(batchCreate, { parent: world.group, requests }), { code: 3 }, "a batch of 26");
        }),
      ],
    },
    {
      id: "methods.batch-create-all-or-nothing",
      says: "A batch is made as a whole or not at all.",
      cases: [
        overBoth(async (world) => {
          const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
          const requests = [
            { identityUid, roleUid },
            { identityUid: "nonsense", roleUid },
          ].map((roleBinding) => ({
            parent: world.group,
            roleBinding,
          }));
          refused(
            await world.api.call(batchCreate, { parent: world.group, requests }),
            { code: 3 },
            "a batch with a wrong one",
          );
          equal(
            await world.rows("roleBindings", { uidp: { childrenOf: world.group } }),
            [],
            "the bindings that were made",
          );
        }),
      ],
    },
    {
      id: "methods.lookup-identity",
      says: "`GET /iam/v2beta1/identities:lookupIdentity?issuer=&subject=` answers the uid of the identity that these assume.",
      cases: [
        overBoth(async (world) => {
          const claimMatch = { issuer: "https://issuer.example.com", subject: `${world.group} looked up` };
          const { uid } = await world.make("identities", world.group, { name: "a", claimMatch });
          equal(succeeded(await world.api.call(lookup, claimMatch)).uid, uid, "uid");
          const other = { ...claimMatch, subject: `${world.group} nobody` };
          refused(await world.api.call(lookup, other), { code: 5 }, "the look-up of a subject that no identity has");
        }),
      ],
    },
    {
      id: "methods.query-spellings",
      says: "Query parameters are read in both spellings: `page_size` and `pageSize`, `uidp.descendants_of` and `uidp.descendantsOf`, `updateMask` and `update_mask`.",
      cases: [
        overRest("of a List", async (world) => {
          await world.makeGroups(3);
          for (const query of [
            "uidp.children_of=GROUP&page_size=2&order_by=name",
            "uidp.childrenOf=GROUP&pageSize=2&orderBy=name",
          ]) {
            const path = `/iam/v2beta1/groups?${query.replace("GROUP", world.group)}`;
            const { groups } = JSON.parse((await world.rest.send("GET", path)).text) as { groups: readonly Json[] };
            equal(
              groups.map(({ name }) => name),
              ["n1", "n2"],
              `the names with ${query}`,
            );
          }
        }),
        overRest("of a mask", async (world) => {
          const { uid } = await world.make("groups", world.group, { name: "a" });
          for (const parameter of ["updateMask", "update_mask"]) {
            const body = { name: "ignored", description: parameter };
            const path = `/iam/v2beta1/groups/${uid}?${parameter}=description`;
            const { text } = await world.rest.send("PATCH", path, { body });
            has(JSON.parse(text), { name: "a", description: parameter }, `the group after an update with ${parameter}`);
          }
        }),
      ],
    },
    {
      id: "methods.uidp",
      says: "`uidp.` takes `descendants_of`, `children_of`, `ancestors_of`, `in_root` and `ids` (repeated).",
      cases: [
        overBoth(async (world) => {
          const top = await world.makeGroup();
          const middle = await world.makeGroup(top);
          const bottom = await world.makeGroup(middle);
          const listed = async (uidp: object) => (await world.rows("groups", { uidp })).map(({ uid }) => uid);
          equal(await listed({ descendantsOf: top }), [middle, bottom], "descendants_of");
          equal(await listed({ childrenOf: top }), [middle], "children_of");
          const ancestors = await listed({ ancestorsOf: bottom });
          equal(ancestors.slice(-3), [world.group, top, middle], "ancestors_of, the last three");
          equal(await listed({ ids: [bottom, top] }), [top, bottom], "ids");
          const roots = await listed({ inRoot: true });
          holds(
            roots.every((uid) => !uid.includes("/")),
            "in_root",
            "roots alone",
            roots,
          );
          equal(await listed({ descendantsOf: top, childrenOf: middle }), [bottom], "two of them, which both hold");
        }),
      ],
    },
    {
      id: "methods.root-group",
      says: "`POST /iam/v2beta1/groups` with an empty parent creates a root group, of which the caller becomes owner. Who may is a setting.",
      untried: "it would be a group outside of the suite's own; our own platform's tests make some",
    },
  ],
};
