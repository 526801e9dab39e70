import { type AuditRecord, listRecords, recordsPage } from "../../client/audit-records.ts";
import { batchCreate } from "../../client/iam-methods.ts";
import { equal, has, holds, matches, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

/** The method without its package. */
const methodOf = ({ method }: AuditRecord) => method.replace(/^.*\./, "");
/** Whether a record is about a change. The use of an admin token is recorded, too, some time after it. */
const isChange = ({ action }: AuditRecord) => action !== "use";
const actionsOf = (records: readonly AuditRecord[]) => records.map((record) => `${record.action} ${methodOf(record)}`);
const resourcesOf = (records: readonly AuditRecord[]) => records.map(({ resource }) => resource);

/** Creates and changes two groups as an owner, whose token and identity are returned. */
async function history(world: World) {
  const { token, identity } = await world.caller("owner");
  const owner = world.rest.as(token);
  const first = succeeded(await owner.create("groups", world.group, { name: "first" }));
  succeeded(await owner.update("groups", first.uid, { name: "renamed" }));
  const second = succeeded(await owner.create("groups", first.uid, { name: "second" }));
  succeeded(await owner.delete("groups", second.uid));
  return { owner, identity, first, second };
}

/** The list of audit records, an addition of this project's platform. */
export const auditRecords = decidedSection("Audit records", [
  requirement(
    "audit.changes",
    "`GET /audit/v1beta1/records` lists who changed what: each change has a record as soon as its call has succeeded, with the actor, the method and the changed fields.",
    overRest(async (world) => {
      const { owner, identity, first, second } = await history(world);
      const { records, totalCount } = await recordsPage(owner, { resource: first.uid });
      const actions = ["create", "update", "create", "delete"];
      const methods = ["CreateGroup", "UpdateGroup", "CreateGroup", "DeleteGroup"];
      equal(
        actionsOf(records),
        actions.map((action, index) => `${action} GroupsService/${methods[index]}`),
        "the actions and methods",
      );
      equal(resourcesOf(records), [first.uid, first.uid, second.uid, second.uid], "the resources");
      equal(totalCount, "4", "totalCount");
      const { issuer } = world.issuer;
      for (const record of records) {
        has(record, { actor: { name: identity, issuer }, code: 0 }, "a record");
        matches(record.actor.subject, new RegExp(`^${world.group} `), "the subject of the actor");
        matches(record.createTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "createTime");
      }
      const changesOf = ({ changes }: AuditRecord) => [
        Object.keys(changes),
        changes["name"]?.old,
        changes["name"]?.new,
      ];
      equal(
        records.map(changesOf),
        [
          [["name"], undefined, "first"],
          [["name"], "first", "renamed"],
          [["name"], undefined, "second"],
          [["name"], "second", undefined],
        ],
        "the changed fields, their old and their new values",
      );
    }),
    overRest("nothing for a call that fails, or that changes nothing", async (world) => {
      const { owner, first } = await history(world);
      const changes = async () =>
        (await recordsPage(owner, { resource: first.uid, code: "0" })).records.filter(isChange);
      const before = await changes();
      const parent = first.uid;
      rejected(await owner.create("groups", parent, { name: "NOT A NAME" }), { code: 3 }, "an invalid Create");
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      const identities = [identityUid, `${parent}/${"0".repeat(16)}`];
      const requests = identities.map((uid) => ({ parent, roleBinding: { identityUid: uid, roleUid } }));
      rejected(await owner.call(batchCreate, { parent, requests }), { code: 5 }, "a batch with a missing identity");
      succeeded(await owner.update("groups", parent, { name: "renamed" }), "an update that changes nothing");
      succeeded(await owner.get("groups", parent), "a Get");
      equal(await changes(), before, "the records of changes");
    }),
    overRest("in every collection, also of what is deleted with another resource", async (world) => {
      const { group } = world;
      const roleUid = await world.builtInRole("viewer");
      const identity = await world.makeIdentity();
      const binding = await world.bind(group, identity, roleUid);
      const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
      for (const [collection, body] of [
        ["identityProviders", { name: "p", defaultRole: roleUid, oidc }],
        ["groupInvites", { roleUid, ttl: "600s" }],
        ["accountAssociations", { name: "a", google: { projectId: "p", projectNumber: "1" } }],
        ["roles", { name: "r", capabilities: ["CAP_REPO_LIST"] }],
      ] as const)
        await world.make(collection, group, body);
      const repo = await world.api.create("repos", group, { name: "repo" });
      succeeded(await world.api.delete("identities", identity));
      const { records } = await recordsPage(world.rest, { resource: group, code: "0" });
      const changes = records.filter(isChange).map(({ action, resourceType }) => `${action} ${resourceType}`);
      equal(
        changes.toSorted(),
        [
          "create account association",
          "create group",
          "create group invite",
          "create identity",
          "create identity provider",
          ...(repo.ok ? ["create repo"] : []),
          "create role",
          "create role binding",
          "delete identity",
          "delete role binding",
        ],
        "the changes in the group",
      );
      const deleted = records.filter(({ action }) => action === "delete").map(({ resource }) => resource);
      equal(deleted.toSorted(), [identity, binding].toSorted(), "the deleted resources");
    }),
    overRest("that all tokens of an identity ended, however that was caused", async (world) => {
      const { uid } = await world.makeAssumable();
      const ended = async () =>
        (await recordsPage(world.rest, { resource: uid })).records
          .filter(({ action }) => action === "revokeTokens")
          .map((record) => methodOf(record).replace(/^.*\//, ""));
      succeeded(await world.rest.update("identities", uid, { description: "the tokens remain" }));
      equal(await ended(), [], "the methods that ended tokens, after a new description");
      succeeded(await world.rest.update("identities", uid, { staticKeys: { subject: "another" } }));
      await world.rest.send("POST", `/iam/v2beta1/identities/${uid}:revokeTokens`);
      equal(await ended(), ["UpdateIdentity", "RevokeTokens"], "the methods that ended tokens");
    }),
  ),
  requirement(
    "audit.access",
    "A List needs `audit.list`, which `owner` has: it contains the records about the resources on which the caller has it.",
    overRest(async (world) => {
      const { owner, first } = await history(world);
      const outside = await world.makeGroup();
      const inner = world.rest.as((await world.caller("owner", first.uid)).token);
      const seen = resourcesOf((await recordsPage(inner)).records);
      holds(seen.includes(first.uid), "the resources of an owner's records", `${first.uid} among them`, seen);
      equal(
        seen.filter((uid) => uid !== first.uid && !uid.startsWith(`${first.uid}/`)),
        [],
        "the resources outside of the owner's group",
      );
      equal((await recordsPage(inner, { resource: outside })).records, [], "the records of another group");
      const above = resourcesOf((await recordsPage(inner, { resource: world.group })).records);
      equal(above, seen, "the resources of the records of a group above");
      equal(resourcesOf((await recordsPage(owner, { resource: outside })).records), [outside], "those of its owner");
      for (const role of ["viewer", "editor"]) {
        const other = world.rest.as((await world.caller(role)).token);
        has(await recordsPage(other), { records: [], totalCount: "0", skipped: 0 }, `the list of a ${role}`);
      }
      const downscoped = world.rest.as((await world.caller("owner", world.group, { cap: ["groups.list"] })).token);
      equal((await recordsPage(downscoped)).records, [], "the records of a token that was downscoped");
      rejected(await listRecords(world.rest.as(undefined)), { code: 16 }, "a List without a token");
    }),
  ),
  requirement(
    "audit.filters",
    "Filters of a List: `actor`, `method`, `resource`, `code`, `since`; they combine with AND.",
    overRest("each of them", async (world) => {
      const { owner, identity, first, second } = await history(world);
      const found = async (query: Readonly<Record<string, string>>) =>
        actionsOf((await recordsPage(owner, { actor: identity, code: "0", resource: first.uid, ...query })).records);
      const created = "create GroupsService/CreateGroup";
      equal(await found({ resource: second.uid }), [created, "delete GroupsService/DeleteGroup"], "by resource");
      equal(await found({ method: "GroupsService/CreateGroup" }), [created, created], "by method");
      equal(await found({ method: "CreateGroup" }), [], "by a part of a method");
      equal(await found({ actor: second.uid }), [], "by another actor");
      equal(await found({ code: "7" }), [], "by another code");
      const { records } = await recordsPage(owner, { resource: first.uid });
      equal((await found({ since: records[0]?.createTime ?? "" })).length, 4, "the number since the first record");
      equal(await found({ since: "2100-01-01T00:00:00Z" }), [], "since a time in the future");
    }),
    overRest("invalid values", async ({ rest }) => {
      for (const [field, value] of [
        ["resource", "nonsense"],
        ["since", "yesterday"],
        ["order_by", "name"],
        ["page_size", "-1"],
        ["skip", "10001"],
        ["actr", "admin"],
      ] as const)
        rejected(await listRecords(rest, { [field]: value }), { code: 3, field }, `${field}=${value}`);
    }),
  ),
  requirement(
    "audit.pages",
    "Pages, `skip` and `order_by` are those of every List: in the order in which the records were written, or `created_at desc`.",
    overRest(async (world) => {
      const { owner, first } = await history(world);
      const whole = (await recordsPage(owner, { resource: first.uid })).records.map(({ id }) => id);
      const paged: string[] = [];
      const query = { resource: first.uid, page_size: "3" };
      const one = await recordsPage(owner, query);
      const two = await recordsPage(owner, { ...query, page_token: one.nextPageToken ?? "" });
      for (const { records } of [one, two]) paged.push(...records.map(({ id }) => id));
      equal(paged, whole, "the ids on two pages");
      has(two, { totalCount: "4" }, "the second page");
      const newest = await recordsPage(owner, { ...query, order_by: "created_at desc", skip: "1" });
      equal(
        newest.records.map(({ id }) => id),
        whole.toReversed().slice(1),
        "the newest first, without one",
      );
      equal(newest.skipped, 1, "skipped");
      const other = await listRecords(owner, { resource: world.group, page_token: one.nextPageToken ?? "" });
      rejected(other, { code: 3, field: "page_token" }, "a page token with another filter");
    }),
    overRest("while records are added", async (world) => {
      const parent = await world.makeGroup();
      await world.makeGroups(7, parent);
      const seen: string[] = [];
      for (let pageToken: string | undefined = ""; pageToken !== undefined; ) {
        const query = { resource: parent, page_size: "3", page_token: pageToken };
        const page = await recordsPage(world.rest, query);
        seen.push(...page.records.map(({ id }) => id));
        pageToken = page.nextPageToken === "" ? undefined : page.nextPageToken;
        if (seen.length < 9) await world.makeGroup(parent);
      }
      equal(seen.length, 10, "the number of records on all pages");
      equal(new Set(seen).size, 10, "the number of different records");
    }),
  ),
  requirement(
    "audit.secrets",
    "A record contains no token and no secret.",
    overRest(async (world) => {
      const clientSecret = `secret ${crypto.randomUUID()}`;
      const oidc = { issuer: "https://login.example.com", clientId: "c", clientSecret };
      const defaultRole = await world.builtInRole("viewer");
      const { uid } = await world.make("identityProviders", world.group, { name: "p", defaultRole, oidc });
      const invite = await world.make("groupInvites", world.group, { roleUid: defaultRole, ttl: "600s" });
      const { records } = await recordsPage(world.rest, { resource: world.group });
      for (const resource of [uid, invite.uid])
        holds(resourcesOf(records).includes(resource), "the resources", `${resource} among them`, resourcesOf(records));
      const text = JSON.stringify(records);
      for (const secret of [clientSecret, String(invite["code"])])
        equal(text.includes(secret), false, "whether a record contains a secret");
    }),
  ),
  untested(
    "audit.events",
    "Exchanges, refreshes, reuse of refresh tokens, logins, refused calls and uses of admin tokens are recorded, limited per cause.",
    "a run makes more calls in a minute than are recorded of one root group; covered by the tests of this project's platform",
  ),
]);
