import { equal, has, holds, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overGrpc, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { rejectsMaskPaths } from "./rejected-mask-paths.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };
const badMask = { code: 3, field: "update_mask" } as const;

const makeGroup = (world: World) => world.make("groups", world.group, { name: "before", description: "before" });

const makeIdentity = (world: World) =>
  world.make("identities", world.group, { name: "a", claimMatch: { ...claimMatch, claims: { team: "a", unit: "b" } } });

/** Field masks of updates. */
export const masks = decidedSection("Field masks", [
  requirement(
    "masks.star",
    "`*` replaces the whole resource: fields that the body omits are reset, except read-only ones.",
    overBoth(async (world) => {
      const made = await makeGroup(world);
      const replaced = succeeded(await world.api.update("groups", made.uid, { name: "after" }, ["*"]));
      equal(replaced, { ...made, name: "after", description: "", updateTime: replaced.updateTime }, "the group");
    }),
  ),
  requirement(
    "masks.star-alone",
    "`*` cannot be combined with other paths.",
    overBoth(async (world) => {
      const { uid } = await makeGroup(world);
      rejected(await world.api.update("groups", uid, { name: "a" }, ["*", "name"]), badMask, "an update");
    }),
  ),
  requirement(
    "masks.listed-and-absent",
    "A listed field that the body omits is reset.",
    overBoth(async (world) => {
      const { uid } = await makeGroup(world);
      const updated = succeeded(await world.api.update("groups", uid, {}, ["description"]));
      has(updated, { name: "before", description: "" }, "the group");
    }),
    overBoth("a required field", async (world) => {
      const { uid } = await makeGroup(world);
      rejected(await world.api.update("groups", uid, {}, ["name"]), { code: 3, field: "name" }, "an update");
    }),
  ),
  requirement(
    "masks.empty",
    "An empty mask is equivalent to no mask.",
    overBoth(async (world) => {
      const { uid } = await makeGroup(world);
      const updated = succeeded(await world.api.update("groups", uid, { name: "after" }, []));
      has(updated, { name: "after", description: "before" }, "the group");
    }),
  ),
  requirement(
    "masks.rest-without",
    "Without a mask, REST changes the fields present in the body: an empty string clears a field, and `null` counts as present and means the default.",
    overRest("an empty string", async (world) => {
      const { uid } = await makeGroup(world);
      has(
        succeeded(await world.rest.update("groups", uid, { description: "" })),
        { name: "before", description: "" },
        "the group",
      );
    }),
    overRest("null", async (world) => {
      const { uid } = await makeGroup(world);
      has(
        succeeded(await world.rest.update("groups", uid, { description: null })),
        { name: "before", description: "" },
        "the group",
      );
    }),
    overRest("an empty body", async (world) => {
      const { uid } = await makeGroup(world);
      has(
        succeeded(await world.rest.update("groups", uid, {})),
        { name: "before", description: "before" },
        "the group",
      );
    }),
  ),
  requirement(
    "masks.rest-nested",
    "Without a mask, the fields present in a nested message are changed, and its other fields are kept.",
    overRest(async (world) => {
      const { uid } = await makeIdentity(world);
      const updated = succeeded(await world.rest.update("identities", uid, { claimMatch: { subject: "other" } }));
      has(
        updated["claimMatch"],
        { issuer: claimMatch.issuer, subject: "other", claims: { team: "a", unit: "b" } },
        "claimMatch",
      );
    }),
  ),
  requirement(
    "masks.grpc-without",
    "Without a mask, gRPC changes the fields with a value other than the default.",
    overGrpc(async (world) => {
      const { uid } = await makeGroup(world);
      const updated = succeeded(await world.grpc.update("groups", uid, { name: "", description: "after" }));
      has(updated, { name: "before", description: "after" }, "the group");
    }),
  ),
  requirement(
    "masks.maps-and-lists",
    "Maps and lists are replaced as a whole.",
    overBoth("a list", async (world) => {
      const uid = await world.makeRole(["CAP_REPO_LIST", "CAP_TAG_LIST"]);
      const updated = succeeded(await world.api.update("roles", uid, { capabilities: ["CAP_IAM_GROUPS_LIST"] }));
      equal(updated["capabilities"], ["CAP_IAM_GROUPS_LIST"], "capabilities");
    }),
    overBoth("a map", async (world) => {
      const { uid } = await makeIdentity(world);
      const body = { claimMatch: { claims: { other: "c" } } };
      const updated = succeeded(await world.api.update("identities", uid, body, ["claim_match.claims"]));
      equal((updated["claimMatch"] as { claims: object }).claims, { other: "c" }, "claims");
    }),
    overBoth("a map, without a mask", async (world) => {
      const { uid } = await makeIdentity(world);
      const updated = succeeded(await world.api.update("identities", uid, { claimMatch: { claims: { other: "c" } } }));
      has(updated["claimMatch"], claimMatch, "claimMatch");
      equal((updated["claimMatch"] as { claims: object }).claims, { other: "c" }, "claims");
    }),
  ),
  requirement(
    "masks.path-into-map",
    "A path into a map or a list is code 3.",
    overBoth(async (world) => {
      const { uid } = await makeIdentity(world);
      const role = await world.makeRole(["CAP_REPO_LIST"]);
      rejected(
        await world.api.update("identities", uid, {}, ["claim_match.claims.team"]),
        badMask,
        "a path into a map",
      );
      rejected(await world.api.update("roles", role, {}, ["capabilities.0"]), badMask, "a path into a list");
    }),
  ),
  requirement(
    "masks.unknown-path",
    "An unknown path is code 3.",
    overBoth(async (world) => {
      const { uid } = await makeGroup(world);
      await rejectsMaskPaths(world, "groups", uid, ["nope", "name.nope", "description.x"], { name: "a" });
    }),
  ),
  requirement(
    "masks.read-only-path",
    "A read-only path is code 3.",
    overBoth(async (world) => {
      const { uid } = await makeGroup(world);
      await rejectsMaskPaths(world, "groups", uid, ["uid", "create_time", "update_time"], { name: "a" });
    }),
  ),
  requirement(
    "masks.path-spellings",
    "Paths are accepted in both spellings.",
    overBoth(async (world) => {
      const { uid } = await makeIdentity(world);
      for (const [path, subject] of [
        ["claim_match.subject", "one"],
        ["claimMatch.subject", "two"],
      ] as const) {
        const updated = succeeded(await world.api.update("identities", uid, { claimMatch: { subject } }, [path]));
        has(updated["claimMatch"], { issuer: claimMatch.issuer, subject }, `claimMatch after an update of ${path}`);
      }
    }),
  ),
  requirement(
    "masks.oneof",
    "Setting a member of a oneof clears the other members.",
    overBoth(async (world) => {
      const { uid } = await makeIdentity(world);
      const body = { claimMatch: { subjectPattern: "a.*" } };
      const updated = succeeded(await world.api.update("identities", uid, body, ["claim_match.subject_pattern"]));
      const after = updated["claimMatch"] as Readonly<Record<string, unknown>>;
      has(after, { issuer: claimMatch.issuer, subjectPattern: "a.*" }, "claimMatch");
      holds(!("subject" in after), "claimMatch", "no subject next to subjectPattern", after);
    }),
    overBoth("without a mask", async (world) => {
      const { uid } = await makeIdentity(world);
      const body = { claimMatch: { subjectPattern: "a.*" } };
      const updated = succeeded(await world.api.update("identities", uid, body));
      const after = updated["claimMatch"] as Readonly<Record<string, unknown>>;
      has(after, { issuer: claimMatch.issuer, subjectPattern: "a.*", claims: { team: "a", unit: "b" } }, "claimMatch");
      holds(!("subject" in after), "claimMatch", "no subject next to subjectPattern", after);
    }),
  ),
  requirement(
    "masks.outside-ignored",
    "With a mask, all other fields of the body are ignored, even invalid ones.",
    overRest(async (world) => {
      const { uid } = await makeGroup(world);
      const body = { name: 7, description: "after", createTime: "never", nope: { deep: true } };
      const updated = succeeded(await world.rest.update("groups", uid, body, ["description"]));
      has(updated, { name: "before", description: "after" }, "the group");
    }),
  ),
  requirement(
    "masks.read-only-ignored",
    "Without a mask, read-only fields of the body are ignored.",
    overBoth(async (world) => {
      const made = await makeGroup(world);
      const body = { name: "after", createTime: "2001-01-01T00:00:00Z" };
      const updated = succeeded(await world.api.update("groups", made.uid, body));
      has(updated, { name: "after", createTime: made.createTime }, "the group");
    }),
  ),
  requirement(
    "masks.unknown-field",
    "Without a mask, an unknown field of the body is code 3 on that field; a platform can ignore the field.",
    overRest(async (world) => {
      const { uid } = await makeGroup(world);
      const outcome = await world.rest.update("groups", uid, { name: "after", nope: 1 });
      if (outcome.ok) has(outcome.body, { name: "after", description: "before" }, "the group if the field is ignored");
      else rejected(outcome, { code: 3, field: "nope" }, "an update with an unknown field");
      const replacement = await world.rest.update("groups", uid, { name: "after", nope: 1 }, ["*"]);
      equal(replacement.ok, outcome.ok, "whether a full replacement can have an unknown field, as an update can");
      if (!replacement.ok) rejected(replacement, { code: 3, field: "nope" }, "a full replacement");
    }),
  ),
]);
