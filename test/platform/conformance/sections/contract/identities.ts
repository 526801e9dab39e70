import { equal, has, holds, isEmptyBody, matches, rejected, succeeded } from "../../expect.ts";
import { type Section, overBoth } from "../../requirement.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };

/** Sections 2 (Identity) and 4.2. */
export const identities: Section = {
  title: "4.2 Identities",
  origin: "contract",
  requirements: [
    {
      id: "2.identity.name-required",
      text: "`name` is required on create.",
      cases: [
        overBoth(async ({ api, group }) => {
          const outcome = await api.create("identities", group, { claimMatch });
          rejected(
            outcome,
            { code: 3, reason: "INVALID_ARGUMENT", field: "name" },
            "creating an identity without a name",
          );
        }),
      ],
    },
    {
      id: "2.identity.description",
      text: "`description` is a string.",
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
      text: "`claimMatch` has `issuer` (URL of the token issuer) and `subject`.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("identities", world.group, { name: "a", claimMatch });
          has(made["claimMatch"], claimMatch, "claimMatch in the response to Create");
          has(
            succeeded(await world.api.get("identities", made.uid))["claimMatch"],
            claimMatch,
            "claimMatch in the response to Get",
          );
        }),
      ],
    },
    {
      id: "2.identity.last-seen-time",
      text: "`lastSeenTime` is set in the create response.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("identities", world.group, { name: "a", claimMatch });
          matches(made["lastSeenTime"], /^\d{4}-\d\d-\d\dT/, "lastSeenTime");
        }),
      ],
    },
    {
      id: "4.2.create",
      text: "`POST /iam/v2beta1/identities/<group_uid>`: body `name`, `description`, `claimMatch`; returns the identity. The group that owns the identity is in the path.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("identities", world.group, { name: "a", description: "d", claimMatch });
          has(made, { name: "a", description: "d", claimMatch }, "the created identity");
          holds(made.uid.startsWith(`${world.group}/`), "its uid", `one in ${world.group}`, made.uid);
        }),
      ],
    },
    {
      id: "4.2.delete",
      text: "`DELETE /iam/v2beta1/identities/<identity_uid>`: empty body.",
      cases: [
        overBoth(async (world) => {
          const uid = await world.makeIdentity();
          isEmptyBody(succeeded(await world.api.delete("identities", uid), "deleting an identity"));
          rejected(await world.api.get("identities", uid), { code: 5 }, "reading it again");
        }),
      ],
    },
    {
      id: "4.2.list-get-update",
      text: "List, Get and Update of identities are offered; their paths follow the groups pattern.",
      cases: [
        overBoth(async (world) => {
          const made = await world.make("identities", world.group, { name: "a", description: "d", claimMatch });
          equal(succeeded(await world.api.get("identities", made.uid)), made, "the identity that Get returns");
          equal(await world.list("identities", { uidp: { childrenOf: world.group } }), [made], "identities");
          const updated = succeeded(await world.api.update("identities", made.uid, { name: "b" }));
          has(updated, { uid: made.uid, name: "b", description: "d", claimMatch }, "the identity after an update");
        }),
      ],
    },
  ],
};
