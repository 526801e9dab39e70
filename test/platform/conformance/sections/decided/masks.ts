import { equal, has, holds, rejected, succeeded } from "../../expect.ts";
import { type Section, overBoth, overGrpc, overRest } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { rejectsMaskPaths } from "./rejected-mask-paths.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };
const badMask = { code: 3, field: "update_mask" } as const;

const makeGroup = (world: World) => world.make("groups", world.group, { name: "before", description: "before" });

const makeIdentity = (world: World) =>
  world.make("identities", world.group, { name: "a", claimMatch: { ...claimMatch, claims: { team: "a", unit: "b" } } });

/** Field masks of updates. */
export const masks: Section = {
  title: "Field masks",
  origin: "decided",
  requirements: [
    {
      id: "masks.star",
      text: "`*` replaces the whole resource: fields that the body omits are reset, except read-only ones.",
      cases: [
        overBoth(async (world) => {
          const made = await makeGroup(world);
          const replaced = succeeded(await world.api.update("groups", made.uid, { name: "after" }, ["*"]));
          equal(replaced, { ...made, name: "after", description: "", updateTime: replaced.updateTime }, "the group");
        }),
      ],
    },
    {
      id: "masks.star-alone",
      text: "`*` cannot be combined with other paths.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeGroup(world);
          rejected(await world.api.update("groups", uid, { name: "a" }, ["*", "name"]), badMask, "an update");
        }),
      ],
    },
    {
      id: "masks.listed-and-absent",
      text: "A listed field that the body omits is reset.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeGroup(world);
          const updated = succeeded(await world.api.update("groups", uid, {}, ["description"]));
          has(updated, { name: "before", description: "" }, "the group");
        }),
        overBoth("a required field", async (world) => {
          const { uid } = await makeGroup(world);
          rejected(await world.api.update("groups", uid, {}, ["name"]), { code: 3, field: "name" }, "an update");
        }),
      ],
    },
    {
      id: "masks.empty",
      text: "An empty mask is equivalent to no mask.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeGroup(world);
          const updated = succeeded(await world.api.update("groups", uid, { name: "after" }, []));
          has(updated, { name: "after", description: "before" }, "the group");
        }),
      ],
    },
    {
      id: "masks.rest-without",
      text: "Without a mask, REST changes the fields present in the body: an empty string clears a field, and `null` counts as present and means the default.",
      cases: [
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
      ],
    },
    {
      id: "masks.rest-nested",
      text: "Without a mask, the fields present in a nested message are changed, and its other fields are kept.",
      cases: [
        overRest(async (world) => {
          const { uid } = await makeIdentity(world);
          const updated = succeeded(await world.rest.update("identities", uid, { claimMatch: { subject: "other" } }));
          has(
            updated["claimMatch"],
            { issuer: claimMatch.issuer, subject: "other", claims: { team: "a", unit: "b" } },
            "claimMatch",
          );
        }),
      ],
    },
    {
      id: "masks.grpc-without",
      text: "Without a mask, gRPC changes the fields with a value other than the default.",
      cases: [
        overGrpc(async (world) => {
          const { uid } = await makeGroup(world);
          const updated = succeeded(await world.grpc.update("groups", uid, { name: "", description: "after" }));
          has(updated, { name: "before", description: "after" }, "the group");
        }),
      ],
    },
    {
      id: "masks.maps-and-lists",
      text: "Maps and lists are replaced as a whole.",
      cases: [
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
          const updated = succeeded(
            await world.api.update("identities", uid, { claimMatch: { claims: { other: "c" } } }),
          );
          has(updated["claimMatch"], claimMatch, "claimMatch");
          equal((updated["claimMatch"] as { claims: object }).claims, { other: "c" }, "claims");
        }),
      ],
    },
    {
      id: "masks.path-into-map",
      text: "A path into a map or a list is code 3.",
      cases: [
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
      ],
    },
    {
      id: "masks.unknown-path",
      text: "An unknown path is code 3.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeGroup(world);
          await rejectsMaskPaths(world, "groups", uid, ["nope", "name.nope", "description.x"], { name: "a" });
        }),
      ],
    },
    {
      id: "masks.read-only-path",
      text: "A read-only path is code 3.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeGroup(world);
          await rejectsMaskPaths(world, "groups", uid, ["uid", "create_time", "update_time"], { name: "a" });
        }),
      ],
    },
    {
      id: "masks.path-spellings",
      text: "Paths are accepted in both spellings.",
      cases: [
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
      ],
    },
    {
      id: "masks.oneof",
      text: "Setting a member of a oneof clears the other members.",
      cases: [
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
          has(
            after,
            { issuer: claimMatch.issuer, subjectPattern: "a.*", claims: { team: "a", unit: "b" } },
            "claimMatch",
          );
          holds(!("subject" in after), "claimMatch", "no subject next to subjectPattern", after);
        }),
      ],
    },
    {
      id: "masks.outside-ignored",
      text: "With a mask, all other fields of the body are ignored, even invalid ones.",
      cases: [
        overRest(async (world) => {
          const { uid } = await makeGroup(world);
          const body = { name: 7, description: "after", createTime: "never", nope: { deep: true } };
          const updated = succeeded(await world.rest.update("groups", uid, body, ["description"]));
          has(updated, { name: "before", description: "after" }, "the group");
        }),
      ],
    },
    {
      id: "masks.read-only-ignored",
      text: "Without a mask, read-only fields of the body are ignored.",
      cases: [
        overBoth(async (world) => {
          const made = await makeGroup(world);
          const body = { name: "after", createTime: "2001-01-01T00:00:00Z" };
          const updated = succeeded(await world.api.update("groups", made.uid, body));
          has(updated, { name: "after", createTime: made.createTime }, "the group");
        }),
      ],
    },
    {
      id: "masks.unknown-field",
      text: "Without a mask, an unknown field of the body is code 3 on that field; a platform can ignore the field.",
      cases: [
        overRest(async (world) => {
          const { uid } = await makeGroup(world);
          const outcome = await world.rest.update("groups", uid, { name: "after", nope: 1 });
          if (outcome.ok)
            has(outcome.body, { name: "after", description: "before" }, "the group if the field is ignored");
          else rejected(outcome, { code: 3, field: "nope" }, "an update with an unknown field");
          const replacement = await world.rest.update("groups", uid, { name: "after", nope: 1 }, ["*"]);
          equal(replacement.ok, outcome.ok, "whether a full replacement can have an unknown field, as an update can");
          if (!replacement.ok) rejected(replacement, { code: 3, field: "nope" }, "a full replacement");
        }),
      ],
    },
  ],
};
