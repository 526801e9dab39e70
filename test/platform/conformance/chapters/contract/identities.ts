import { equal, has, holds, matches, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };

/** Sections 2 (Identity) and 4.2. */
export const identities: Chapter = {
  title: "4.2 Identities",
  origin: "contract",
  sentences: [
    {
      id: "2.identity.name-required",
      says: "`name` is required on create.",
      cases: [
        overBoth(async ({ api, group }) => {
          const outcome = await api.create("identities", group, { claimMatch });
          refused(outcome, { code: 3, reason: "INVALID_ARGUMENT", field: "name" }, "making an identity without a name");
        }),
      ],
    },
    {
      id: "2.identity.description",
      says: "`description` is a string.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("identities", world.group, {
            name: "a",
            description: "Builds it.",
            claimMatch,
          });
          equal(made.description, "Builds it.", "description");
        }),
      ],
    },
    {
      id: "2.identity.claim-match",
      says: "`claimMatch` has `issuer` (URL of the token issuer) and `subject`.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("identities", world.group, { name: "a", claimMatch });
          has(made["claimMatch"], claimMatch, "claimMatch as it is answered");
          has(
            succeeded(await world.api.get("identities", made.uid))["claimMatch"],
            claimMatch,
            "claimMatch as it is read",
          );
        }),
      ],
    },
    {
      id: "2.identity.last-seen-time",
      says: "`lastSeenTime` is set in the create response.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("identities", world.group, { name: "a", claimMatch });
          matches(made["lastSeenTime"], /^\d{4}-\d\d-\d\dT/, "lastSeenTime");
        }),
      ],
    },
    {
      id: "4.2.create",
      says: "`POST /iam/v2beta1/identities/<group_uid>`: body `name`, `description`, `claimMatch`; answers the identity. The group that owns the identity is in the path.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("identities", world.group, { name: "a", description: "d", claimMatch });
          has(made, { name: "a", description: "d", claimMatch }, "the identity that was made");
          holds(made.uid.startsWith(`${world.group}/`), "its uid", `one in ${world.group}`, made.uid);
        }),
      ],
    },
    {
      id: "4.2.delete",
      says: "`DELETE /iam/v2beta1/identities/<identity_uid>`: empty body.",
      cases: [
        overBoth(async (world) => {
          const uid = await world.makeIdentity();
          const body = succeeded(await world.api.delete("identities", uid), "deleting an identity");
          holds(body === undefined || Object.keys(body).length === 0, "the body of the answer", "nothing, or {}", body);
          refused(await world.api.get("identities", uid), { code: 5 }, "reading it again");
        }),
      ],
    },
    {
      id: "4.2.list-get-update",
      says: "List, Get and Update of identities are offered; their paths follow the groups pattern.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("identities", world.group, { name: "a", description: "d", claimMatch });
          equal(succeeded(await world.api.get("identities", made.uid)), made, "the identity as it is read");
          equal(await world.rows("identities", { uidp: { childrenOf: world.group } }), [made], "identities");
          const updated = succeeded(await world.api.update("identities", made.uid, { name: "b" }));
          has(updated, { uid: made.uid, name: "b", description: "d", claimMatch }, "the identity after an update");
        }),
      ],
    },
  ],
};
