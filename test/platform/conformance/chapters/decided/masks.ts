import { equal, has, holds, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overGrpc, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };
const badMask = { code: 3, field: "update_mask" } as const;

const makeGroup = (world: World) => world.make("groups", world.group, { name: "before", description: "before" });

const makeIdentity = (world: World) =>
  world.make("identities", world.group, { name: "a", claimMatch: { ...claimMatch, claims: { team: "a", unit: "b" } } });

/** Field masks of updates. */
export const masks: Chapter = {
  title: "Field masks",
  origin: "decided",
  sentences: [
    {
      id: "masks.star",
      says: "`*` is full replacement: what the body omits is reset, read-only fields aside.",
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
      says: "`*` stands alone.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeGroup(world);
          refused(await world.api.update("groups", uid, { name: "a" }, ["*", "name"]), badMask, "an update");
        }),
      ],
    },
    {
      id: "masks.listed-and-absent",
      says: "A listed field that the body lacks is reset.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeGroup(world);
          const updated = succeeded(await world.api.update("groups", uid, {}, ["description"]));
          has(updated, { name: "before", description: "" }, "the group");
        }),
        overBoth("a required one", async (world) => {
          const { uid } = await makeGroup(world);
          refused(await world.api.update("groups", uid, {}, ["name"]), { code: 3, field: "name" }, "an update");
        }),
      ],
    },
    {
      id: "masks.empty",
      says: "An empty mask is none.",
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
      says: "Without a mask, REST changes the fields present in the body: an empty text clears one, `null` is present and means the default.",
      cases: [
        overRest("an empty text", async (world) => {
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
      says: "Without a mask, inside a nested message the nested fields present are changed.",
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
      says: "Without a mask, gRPC changes the fields with a value other than the default.",
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
      says: "Maps and lists are replaced whole.",
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
      ],
    },
    {
      id: "masks.path-into-map",
      says: "A path into a map or a list is code 3.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeIdentity(world);
          const role = await world.makeRole(["CAP_REPO_LIST"]);
          refused(
            await world.api.update("identities", uid, {}, ["claim_match.claims.team"]),
            badMask,
            "a path into a map",
          );
          refused(await world.api.update("roles", role, {}, ["capabilities.0"]), badMask, "a path into a list");
        }),
      ],
    },
    {
      id: "masks.unknown-path",
      says: "An unknown path is code 3.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeGroup(world);
          for (const path of ["nope", "name.nope", "description.x"])
            refused(await world.api.update("groups", uid, { name: "a" }, [path]), badMask, `an update of ${path}`);
        }),
      ],
    },
    {
      id: "masks.read-only-path",
      says: "A read-only path is code 3.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeGroup(world);
          for (const path of ["uid", "create_time", "update_time", "resource_limits"])
            refused(await world.api.update("groups", uid, { name: "a" }, [path]), badMask, `an update of ${path}`);
        }),
      ],
    },
    {
      id: "masks.path-spellings",
      says: "Paths are read in both spellings.",
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
      says: "Setting a member of a oneof clears its siblings.",
      cases: [
        overBoth(async (world) => {
          const { uid } = await makeIdentity(world);
          const body = { claimMatch: { subjectPattern: "a.*" } };
          const updated = succeeded(await world.api.update("identities", uid, body, ["claim_match.subject_pattern"]));
          const after = updated["claimMatch"] as Readonly<Record<string, unknown>>;
          has(after, { issuer: claimMatch.issuer, subjectPattern: "a.*" }, "claimMatch");
          holds(!("subject" in after), "claimMatch", "no subject beside its pattern", after);
        }),
      ],
    },
    {
      id: "masks.outside-ignored",
      says: "With a mask, body fields outside it are ignored, whatever they are.",
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
      says: "Without a mask, read-only fields of the body are ignored.",
      cases: [
        overBoth(async (world) => {
          const made = await makeGroup(world);
          const body = { name: "after", createTime: "2001-01-01T00:00:00Z", resourceLimits: { clusters: 1 } };
          const updated = succeeded(await world.api.update("groups", made.uid, body));
          has(updated, { name: "after", createTime: made.createTime, resourceLimits: {} }, "the group");
        }),
      ],
    },
    {
      id: "masks.unknown-field",
      says: "Without a mask, an unknown field of the body is refused with code 3, naming it; a platform may ignore it.",
      cases: [
        overRest(async (world) => {
          const { uid } = await makeGroup(world);
          const outcome = await world.rest.update("groups", uid, { name: "after", nope: 1 });
          if (outcome.ok) has(outcome.body, { name: "after", description: "before" }, "the group, where it is ignored");
          else refused(outcome, { code: 3, field: "nope" }, "an update with an unknown field");
        }),
      ],
    },
  ],
};
