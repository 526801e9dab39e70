import type { Json } from "../../client/api.ts";
import { batchCreate, lookup } from "../../client/iam-methods.ts";
import { collections } from "../../client/collections.ts";
import { outcomeOf } from "../../client/rest.ts";
import { equal, has, holds, rejected, Skip, succeeded } from "../../expect.ts";
import { coveredBy, decidedSection, overBoth, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

/** Sends a request as it is written here. */
const sent = async ({ rest }: World, verb: string, path: string, body?: object) =>
  outcomeOf(await rest.send(verb, path, body === undefined ? {} : { body }));

/** Methods and paths. */
export const methods = decidedSection("Methods and paths", [
  requirement(
    "methods.pattern",
    "Every resource X: `GET /X`, `GET /X/{uid}`, `POST /X/{parent uid}`, `PATCH /X/{uid}`, `DELETE /X/{uid}`.",
    overBoth(async (world) => {
      const body = { name: "reader", description: "d", capabilities: ["CAP_REPO_LIST"] };
      const made = await world.make("roles", world.group, body);
      has(made, body, "the created role");
      equal(succeeded(await world.api.get("roles", made.uid)), made, "the role that Get returns");
      equal(await world.list("roles", { uidp: { childrenOf: world.group } }), [made], "the group's roles");
      has(
        succeeded(await world.api.update("roles", made.uid, { name: "other" })),
        { name: "other", description: "d" },
        "the role after an update",
      );
      succeeded(await world.api.delete("roles", made.uid));
      rejected(await world.api.get("roles", made.uid), { code: 5 }, "reading it after the Delete");
    }),
  ),
  coveredBy("methods.bare-body", "The body of a request or response is the bare resource.", "fields.zero-values"),
  requirement(
    "methods.delete-response",
    "A successful DELETE returns 200 without a body and without a content type; a platform can return `{}`.",
    overRest(async (world) => {
      const path = `/iam/v2beta1/groups/${await world.makeGroup()}`;
      const { status, headers, text } = await world.rest.send("DELETE", path);
      equal(status, 200, "the HTTP status");
      holds(["", "{}"].includes(text), "the body", "nothing, or {}", text);
      if (text === "") equal(headers["content-type"], undefined, "Content-Type without a body");
    }),
  ),
  coveredBy("methods.collections", "A list array has the name of its collection.", "1.cursors"),
  requirement(
    "methods.batch-create",
    "`POST /iam/v2beta1/roleBindings:batchCreate` creates at most 25 bindings.",
    overBoth(async (world) => {
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      const requests = Array.from({ length: 26 }, () => ({
        parent: world.group,
        roleBinding: { identityUid, roleUid },
      }));
      rejected(await world.api.call(batchCreate, { parent: world.group, requests }), { code: 3 }, "a batch of 26");
    }),
  ),
  coveredBy(
    "methods.batch-create-all-or-nothing",
    "A batch is created as a whole or not at all.",
    "batches.all-or-nothing",
  ),
  requirement(
    "methods.lookup-identity",
    "`GET /iam/v2beta1/identities:lookupIdentity?issuer=&subject=` returns the uid of the identity with this issuer and subject.",
    overBoth(async (world) => {
      const claimMatch = { issuer: "https://issuer.example.com", subject: `${world.group} looked up` };
      const { uid } = await world.make("identities", world.group, { name: "a", claimMatch });
      equal(succeeded(await world.api.call(lookup, claimMatch)), { uid }, "the response");
      const other = { ...claimMatch, subject: `${world.group} nobody` };
      rejected(await world.api.call(lookup, other), { code: 5 }, "the lookup of a subject that no identity has");
    }),
  ),
  requirement(
    "methods.query-spellings",
    "Query parameters are accepted in both spellings: `page_size` and `pageSize`, `uidp.descendants_of` and `uidp.descendantsOf`, `updateMask` and `update_mask`.",
    overRest("in a List", async (world) => {
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
    overRest("in a body, and the slashes of a uid encoded", async (world) => {
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      const body = { identity_uid: identityUid, role_uid: roleUid };
      const made = succeeded(await world.rest.create("roleBindings", world.group, body), "a Create in snake_case");
      const path = `/iam/v2beta1/roleBindings/${encodeURIComponent(made.uid)}`;
      equal(succeeded(await sent(world, "GET", path)), made, "the binding");
    }),
    overRest("in a field mask", async (world) => {
      const { uid } = await world.make("groups", world.group, { name: "a" });
      for (const parameter of ["updateMask", "update_mask"]) {
        const body = { name: "ignored", description: parameter };
        const path = `/iam/v2beta1/groups/${uid}?${parameter}=description`;
        const { text } = await world.rest.send("PATCH", path, { body });
        has(JSON.parse(text), { name: "a", description: parameter }, `the group after an update with ${parameter}`);
      }
    }),
  ),
  requirement(
    "methods.whole-body",
    'A method whose body is the whole request (`body: "*"`) takes no query parameters: code 3, naming the parameter. A field of the body that differs from the one in the path is code 3.',
    overRest("a batch", async (world) => {
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      const other = await world.makeGroup();
      const requests = [{ roleBinding: { identityUid, roleUid } }];
      const path = "/iam/v2beta1/roleBindings:batchCreate";
      for (const field of ["parent", "role_uid", "roleUid", "dragons"])
        rejected(
          await sent(world, "POST", `${path}?${field}=${other}`, { parent: world.group, requests }),
          { code: 3, field },
          `a batch with the parameter ${field}`,
        );
      const incomplete = await sent(world, "POST", `${path}?parent=${other}`, { requests });
      rejected(incomplete, { code: 3, field: "parent" }, "a parameter that the body lacks");
      const body = new URLSearchParams({ parent: other, role_uid: roleUid }).toString();
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const form = outcomeOf(await world.rest.send("POST", path, { body, headers }));
      rejected(form, { code: 3, field: "body" }, "a form instead of JSON");
      for (const group of [world.group, other])
        equal(await world.list("roleBindings", { uidp: { childrenOf: group } }), [], "the created bindings");
    }),
    overRest("the id of a v1 group, and the uid of an identity", async (world) => {
      const [id, other] = [await world.makeGroup(), await world.makeGroup()];
      const put = (body: object) => sent(world, "PUT", `/iam/v1/groups/${id}`, body);
      const before = succeeded(await world.rest.get("groups", other));
      rejected(await put({ id: other, name: "a" }), { code: 3, field: "id" });
      equal(succeeded(await world.rest.get("groups", other)), before, "the group that the body names");
      for (const same of [id, "", null]) succeeded(await put({ id: same, name: "a" }), `an update with the id ${same}`);
      const uid = await world.makeIdentity();
      const revoke = (body: object) => sent(world, "POST", `/iam/v2beta1/identities/${uid}:revokeTokens`, body);
      const refused = await revoke({ uid: other });
      if (!refused.ok && [5, 12].includes(refused.failure.code)) return;
      rejected(refused, { code: 3, field: "uid" }, "revoking the tokens of another identity");
      succeeded(await revoke({ uid }), "revoking those of the identity in the path");
    }),
    overRest("a resource: neither its parent nor its fields are parameters", async (world) => {
      const path = `/iam/v2beta1/groups/${world.group}`;
      for (const field of ["parent", "group", "group.name", "name"])
        for (const verb of ["POST", "PATCH"])
          rejected(
            await sent(world, verb, `${path}?${field}=a`, { name: "a" }),
            { code: 3, field },
            `${verb} with the parameter ${field}`,
          );
    }),
    overRest("a resource: the parent is in the path alone", async (world) => {
      const parent = await world.makeGroup();
      const ignoresUnknown = (await world.rest.create("groups", world.group, { name: "b", nope: 1 })).ok;
      for (const path of ["/iam/v2beta1/groups", "/iam/v2beta1/identities", "/iam/v2beta1/roles", "/iam/v1/groups"]) {
        const outcome = await sent(world, "POST", `${path}/${world.group}`, { name: "a", parent });
        if (!ignoresUnknown) rejected(outcome, { code: 3, field: "parent" }, `POST ${path}`);
      }
      equal(await world.list("groups", { uidp: { childrenOf: parent } }), [], "the groups in the parent of the body");
    }),
  ),
  requirement(
    "methods.once",
    "A field is given once: a query parameter that may not be repeated, or a member of the body, in two spellings is code 3.",
    overRest("in a query", async (world) => {
      for (const [query, field] of [
        ["page_size=1&page_size=2", "page_size"],
        ["page_size=1&pageSize=1", "pageSize"],
        ["uidp.children_of=a&uidp.childrenOf=b", "uidp.childrenOf"],
        ["name=a&name=a", "name"],
      ] as const)
        rejected(await sent(world, "GET", `/iam/v2beta1/groups?${query}`), { code: 3, field }, query);
    }),
    overRest("in a body, in one of its spellings", async (world) => {
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      for (const [collection, field, body] of [
        ["groups", "resource_limits", { name: "a", resourceLimits: {}, resource_limits: {} }],
        ["roleBindings", "role_uid", { identityUid, roleUid, role_uid: roleUid }],
        ["roleBindings", "roleUid", { identityUid, role_uid: null, roleUid }],
        ["accountAssociations", "azure.tenantId", { name: "a", azure: { tenant_id: "t", tenantId: "u" } }],
      ] as const) {
        const made = await world.rest.create(collection, world.group, body);
        rejected(made, { code: 3, field }, `a Create of ${collection} with ${JSON.stringify(body)}`);
      }
    }),
    overRest("in a body, at any depth, also if both members have the same name", async (world) => {
      for (const [collection, field, body] of [
        ["groups", "body", '{"name":"a","name":"b"}'],
        ["groups", "body", String.raw`{"name":"a","n\u0061me":"b"}`],
        ["groups", "body", '{"name":"a","resourceLimits":{"a":1,"a":2}}'],
        ["groups", "body", '{"name":"a","__proto__":1,"__proto__":2}'],
        [
          "accountAssociations",
          "github.appInstallations.01",
          '{"name":"a","github":{"appInstallations":{"1":{},"01":{}}}}',
        ],
      ] as const) {
        const path = `${collections[collection].path}/${world.group}`;
        rejected(outcomeOf(await world.rest.send("POST", path, { body })), { code: 3, field }, `a POST of ${body}`);
      }
    }),
  ),
  requirement(
    "methods.uidp",
    "The filter `uidp` has the fields `descendants_of`, `children_of`, `ancestors_of`, `in_root` and `ids` (repeated).",
    overBoth(async (world) => {
      const top = await world.makeGroup();
      const middle = await world.makeGroup(top);
      const bottom = await world.makeGroup(middle);
      const listed = async (uidp: object) => (await world.list("groups", { uidp })).map(({ uid }) => uid);
      equal(await listed({ descendantsOf: top }), [middle, bottom], "descendants_of");
      equal(await listed({ childrenOf: top }), [middle], "children_of");
      const ancestors = await listed({ ancestorsOf: bottom });
      equal(ancestors.slice(-3), [world.group, top, middle], "ancestors_of, the last three");
      const binding = await world.bind(top, await world.makeIdentity(), await world.builtInRole("viewer"));
      equal((await listed({ ancestorsOf: binding })).slice(-2), [world.group, top], "ancestors_of another type");
      equal(await listed({ ids: [bottom, top] }), [top, bottom], "ids");
      const roots = await listed({ inRoot: true });
      holds(
        roots.every((uid) => !uid.includes("/")),
        "in_root",
        "only root groups",
        roots,
      );
      equal(
        await listed({ descendantsOf: top, childrenOf: middle }),
        [bottom],
        "descendants_of and children_of together",
      );
      equal(
        await listed({ descendantsOf: middle, childrenOf: top }),
        [],
        "descendants_of and children_of that exclude each other",
      );
    }),
  ),
  requirement(
    "methods.openapi",
    "`/openapi.json` describes what is served: every collection and method, forms where they are accepted, and bounds of fields. It needs no token.",
    overRest(async ({ rest }) => {
      const { status, text } = await rest.as(undefined).send("GET", "/openapi.json");
      if (status === 404 || status === 501) throw new Skip("this platform publishes no OpenAPI document");
      const { paths } = JSON.parse(text) as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      };
      for (const { path } of Object.values(collections)) {
        holds(paths[path]?.["get"] !== undefined, "the paths", `the List of ${path} among them`, Object.keys(paths));
        holds(paths[`${path}/{uid}`]?.["get"] !== undefined, "the paths", `the Get of ${path}`, Object.keys(paths));
      }
      equal(paths[`${collections.tags.path}/{uid}`]?.["patch"], undefined, "the Update of tags");
      const form = { requestBody: { content: { "application/x-www-form-urlencoded": {} } } };
      has(paths["/sts/exchange"]?.["post"], form, "the exchange");
    }),
  ),
  untested(
    "methods.root-group",
    "`POST /iam/v2beta1/groups` with an empty parent creates a root group, and the caller becomes its owner. A setting decides who can create one.",
    "the suite creates nothing outside of its own group; covered by the tests of this project's platform",
  ),
]);
